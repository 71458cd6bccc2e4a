/** The pages to sign in with a passkey or a link. */
import type { Html } from '#shared/engine/html/html.ts';
import type { DeploymentProvider } from '#shared/model/sign-in/deployment-provider.ts';
import { EntryPage } from '#shared/pages/design/entry-page.tsx';
import { TextField } from '#shared/pages/design/fields.tsx';
import { CopiedText, Notice } from '#shared/pages/design/parts.tsx';
import { linkToCompanySignIn, linkToPasskeySignIn, linkToSignIn, linkToSignInLink } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';
import { PasskeyForm } from './passkeys.tsx';
import { ProviderButtons } from './provider-sign-in-page.tsx';

interface SignInProps extends WithForms<Visit> {
  readonly providers: readonly DeploymentProvider[];
  readonly origin: string;
}

export const SignInPage = ({ visit, refused, providers, origin }: SignInProps): Html => (
  <EntryPage title="Sign in to Rundown">
    <RefusalMessage refused={refused} of="submitPasskey" title="You were not signed in." />
    <section class="card" aria-label="Sign in">
      <PasskeyForm
        use="get"
        action={linkToPasskeySignIn(visit)}
        options={linkToPasskeySignIn(visit, 'options')}
        button="Sign in with a passkey"
      />
      <ProviderButtons visit={visit} providers={providers} />
      <p>
        <a class="button quiet whole" href={linkToCompanySignIn(visit)}>
          Sign in with your company
        </a>
      </p>
      <h2>No passkey yet?</h2>
      <HowToGetALink visit={visit} origin={origin} />
    </section>
  </EntryPage>
);

/** How to get a link, for a person who has no passkey. */
const HowToGetALink = ({ visit, origin }: Pick<SignInProps, 'visit' | 'origin'>): Html => (
  <>
    <p>
      Ask the operator of this service for a one-time sign-in link, or{' '}
      <a href={linkToSignInLink(visit)}>enter its code</a>.
    </p>
    <details>
      <summary>For operators</summary>
      <p>This command creates the link:</p>
      <LinkCommand email="you@example.com" />
      {isOnThisMachine(origin) && (
        <p>
          <code>npm start</code> prints a link for each demo person.
        </p>
      )}
    </details>
  </>
);

/** Whether the service runs on the machine of its reader, where `npm start` makes the demo. */
const isOnThisMachine = (origin: string): boolean => ['localhost', '127.0.0.1'].includes(new URL(origin).hostname);

/** The command with which an operator creates a sign-in link. */
export const LinkCommand = ({ email }: { readonly email: string }): Html => (
  <CopiedText text={`npm run admin -- accounts link --email ${email}`} />
);

/**
 * Asks for confirmation before replacing a session, so that a link from a stranger cannot switch the person to another
 * account unnoticed (login CSRF).
 */
export const SignInLinkPage = ({ visit, refused }: WithForms<Visit | AccountVisit>): Html => (
  <EntryPage title="Sign in with your link">
    <RefusalMessage refused={refused} of="submitSignInLink" title="You were not signed in." />
    {'account' in visit && (
      <Notice tone="flaky">
        You are signed in as {visit.account.name} ({visit.account.email}). This link may belong to another account.
        Continue only if you asked for it.
      </Notice>
    )}
    {refused ? (
      <section class="card" aria-label="Sign in in another way">
        <p>
          <a class="button whole" href={linkToSignIn(visit)}>
            Sign in with a passkey
          </a>
        </p>
        <p>
          <a class="button quiet whole" href={linkToCompanySignIn(visit)}>
            Sign in with your company
          </a>
        </p>
        <details>
          <summary>Enter the code of another link</summary>
          <CodeForm visit={visit} />
        </details>
      </section>
    ) : (
      <section class="card" aria-label="Sign in">
        <CodeForm visit={visit} />
      </section>
    )}
  </EntryPage>
);

const CodeForm = ({ visit }: { readonly visit: Visit | AccountVisit }): Html => (
  <form method="post" action={linkToSignInLink(visit)}>
    <TextField
      label="Code"
      name="code"
      hint="The part of your sign-in link after the # sign. The link works only once."
      autocomplete="one-time-code"
      required
      fromFragment
    />
    <button type="submit">Sign in</button>
  </form>
);
