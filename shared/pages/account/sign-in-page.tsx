/** The pages to sign in, and to confirm a sign-in. */
import type { Html } from '#shared/engine/html/html.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { Logo, Notice } from '#shared/pages/design/parts.tsx';
import { passkeyConfirmHref, passkeySignInHref, signInLinkHref } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';
import { PasskeyForm } from './passkeys.tsx';

interface Props {
  readonly visit: Visit;
  readonly refused: RefusedForm | undefined;
}

export const SignInPage = ({ visit, refused }: Props): Html => (
  <div class="sign-in">
    <Logo />
    <h1>Sign in to Rundown</h1>
    <RefusalMessage refused={refused} of="submitPasskey" title="Not signed in." />
    <section class="card" aria-label="Sign in">
      <PasskeyForm
        use="get"
        action={passkeySignInHref(visit)}
        options={passkeySignInHref(visit, 'options')}
        button="Sign in with a passkey"
      />
      <h2>Without a passkey</h2>
      <HowToGetALink visit={visit} email="you@example.com" />
    </section>
  </div>
);

/** Asks a signed-in person to authenticate again. */
interface ConfirmProps extends Props {
  readonly visit: AccountVisit;
  readonly hasPasskey: boolean;
}

export const ConfirmPage = ({ visit, refused, hasPasskey }: ConfirmProps): Html => (
  <>
    <h1>Confirm that it is you</h1>
    <p>
      You are signed in as {visit.account.name} ({visit.account.email}). The next page changes who has access, so please
      confirm that it is you. You return to the page afterwards.
    </p>
    <RefusalMessage refused={refused} of="submitConfirm" title="Not confirmed." />
    {hasPasskey && (
      <>
        <PasskeyForm
          use="get"
          action={passkeyConfirmHref(visit)}
          options={passkeyConfirmHref(visit, 'options')}
          button="Confirm with a passkey"
        />
        <h2>Without a passkey</h2>
      </>
    )}
    <HowToGetALink visit={visit} email={visit.account.email} />
  </>
);

const HowToGetALink = ({ visit, email }: { readonly visit: Visit; readonly email: string }): Html => (
  <>
    <p>You need a one-time sign-in link. Your operator creates it with this command:</p>
    <pre class="wrap">npm run admin -- accounts link --email {email}</pre>
    <p>
      For a service on your own machine, <code>npm start</code> prints a link for each demo person.
    </p>
    <p>
      Open the link in this browser. If you got a code instead of a link,{' '}
      <a href={signInLinkHref(visit)}>enter the code</a>.
    </p>
  </>
);

interface LinkProps {
  readonly visit: Visit | AccountVisit;
  readonly refused: RefusedForm | undefined;
}

/** Asks before it replaces a session, so that a stranger's link cannot switch the account unnoticed (login CSRF). */
export const SignInLinkPage = ({ visit, refused }: LinkProps): Html => (
  <div class="sign-in">
    <Logo />
    <h1>Sign in with your link</h1>
    <RefusalMessage refused={refused} of="submitSignInLink" title="Not signed in." />
    {'account' in visit && (
      <Notice tone="flaky">
        You are signed in as {visit.account.name} ({visit.account.email}). This link may belong to another account.
        Continue only if you asked for it.
      </Notice>
    )}
    <form class="card" method="post" action={signInLinkHref(visit)}>
      <TextField
        label="Code"
        name="code"
        hint="The part of your link after #. It works once."
        autocomplete="one-time-code"
        required
        fromFragment
      />
      <button type="submit">Sign in</button>
    </form>
  </div>
);
