/** Asks a signed-in person to authenticate again, and says for what. Also shows a code that confirms another browser. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import type { DeploymentProvider } from '#shared/model/sign-in/deployment-provider.ts';
import { EntryPage } from '#shared/pages/design/entry-page.tsx';
import { TextField } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { CopiedText, PageHead } from '#shared/pages/design/parts.tsx';
import {
  linkToCompanySignIn,
  linkToHome,
  linkToPasskeyConfirm,
  linkToProviderSignIn,
} from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { CreatedCode } from '#shared/sign-in/confirmation-codes.ts';
import type { AccountVisit } from '#shared/sign-in/visit.ts';
import { PasskeyForm } from './passkeys.tsx';
import { LinkCommand } from './sign-in-page.tsx';

interface Props extends WithForms<AccountVisit> {
  /** What the person is about to do, and the id of that operation. Absent if the link that led here does not say it. */
  readonly waiting: { readonly id: string; readonly action: string } | undefined;
  readonly hasPasskey: boolean;
  /** The provider with which the person can confirm who they are. */
  readonly provider: DeploymentProvider | undefined;
  /** The path of the page that the person came from, if it is known. */
  readonly back: string | undefined;
  /** The Admins who may create a code for the person. */
  readonly admins: readonly Account[];
}

const LISTED_ADMINS = 5;

export const ConfirmPage = ({ visit, refused, waiting, hasPasskey, provider, back, admins }: Props): Html => (
  <EntryPage
    title="Confirm that it is you"
    lead={
      <>
        You are signed in as {visit.account.name} ({visit.account.email}). To{' '}
        <strong>{waiting?.action ?? 'open the page that you asked for'}</strong>, you must have confirmed who you are
        within the last half hour.
      </>
    }
  >
    <RefusalMessage refused={refused} of="submitConfirm" title="Your identity was not confirmed." />
    {visit.session.company && (
      <section class="card" aria-label="Confirm with your company">
        <a
          class="button"
          href={linkToCompanySignIn(visit, visit.session.company.organizationId, { step: 'start', confirm: 'true' })}
        >
          Confirm with your company
        </a>
      </section>
    )}
    {hasPasskey && (
      <section class="card" aria-label="Confirm with a passkey">
        <PasskeyForm
          use="get"
          action={linkToPasskeyConfirm(visit)}
          options={linkToPasskeyConfirm(visit, 'options')}
          button="Confirm with a passkey"
        >
          <Waiting waiting={waiting} back={back} />
        </PasskeyForm>
      </section>
    )}
    {provider && (
      <section class="card" aria-label={`Confirm with ${provider.name}`}>
        <a
          class={hasPasskey ? 'button quiet whole' : 'button whole'}
          href={linkToProviderSignIn(visit, provider.providerId, { step: 'start', purpose: 'confirm' })}
        >
          Confirm with {provider.name}
        </a>
      </section>
    )}
    <form class="card" method="post" action={linkToPasskeyConfirm(visit)}>
      <h2>{hasPasskey ? 'Without your passkey' : 'With a code'}</h2>
      <Waiting waiting={waiting} back={back} />
      <TextField
        label="Code"
        name="code"
        hint="A code such as 7KQX-2MPT, or a sign-in link"
        autocomplete="one-time-code"
        required
      />
      <button type="submit" class={hasPasskey ? 'quiet' : undefined}>
        Confirm with the code
      </button>
    </form>
    <section class="card" aria-label="Where to get a code">
      <h2>Where to get a code</h2>
      <ul>
        <li>
          In another browser in which you are signed in: <b>Your account</b>, <b>Create a confirmation code</b>.
        </li>
        {admins.length > 0 && (
          <li>
            From an Admin, on your page under <b>Members</b>: {formatAdminNames(admins)}.
          </li>
        )}
        <li>
          From the operator of this service, who creates a sign-in link:
          <LinkCommand email={visit.account.email} />
        </li>
      </ul>
    </section>
    <p>
      {back === undefined ? (
        <a href={linkToHome(visit)}>Not now, back to the overview</a>
      ) : (
        <a href={visit.base + back}>Not now, back to where I was</a>
      )}
    </p>
  </EntryPage>
);

const Waiting = ({ waiting, back }: Pick<Props, 'waiting' | 'back'>): Html => (
  <>
    {waiting && <input type="hidden" name="action" value={waiting.id} />}
    {back !== undefined && <input type="hidden" name="back" value={back} />}
  </>
);

function formatAdminNames(admins: readonly Account[]): string {
  const names = admins.slice(0, LISTED_ADMINS).map(({ name, email }) => `${name} (${email})`);
  const others = admins.length - names.length;
  return [...names, ...(others > 0 ? [`${others} more`] : [])].join(', ');
}

interface CodeProps {
  readonly created: CreatedCode;
  /** The name of the person for whom an Admin created the code. Absent if it is the person's own code. */
  readonly name?: string;
  readonly back: { readonly name: string; readonly href: string };
}

export const ConfirmationCodePage = ({ created: { code, validUntil }, name, back }: CodeProps): Html => (
  <>
    <PageHead title="Confirmation code" meta={name} />
    <section class="card reading">
      <p>
        {name === undefined ? (
          <>Enter this code in the browser that asks you to confirm who you are.</>
        ) : (
          <>
            Read this code to {name}. <strong>Make sure that it is really them</strong>: call them, and do not answer a
            message in which somebody asks for a code.
          </>
        )}
      </p>
      <div class="code-to-read">
        <CopiedText text={code} />
      </div>
      <p class="soft">
        The code works once, until <FullTime at={validUntil} />. It confirms a browser that is already signed in, and
        does not sign anybody in.
      </p>
      <a class="button quiet" href={back.href}>
        {back.name}
      </a>
    </section>
  </>
);
