/** The way to the identity provider of a company. Each step shows where the person is about to go. */
import type { Html } from '#shared/engine/html/html.ts';
import { EntryPage } from '#shared/pages/design/entry-page.tsx';
import { TextField } from '#shared/pages/design/fields.tsx';
import { Notice } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToCompanySignIn, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';

interface ChooserProps extends WithForms<Visit | AccountVisit> {
  /** Why the organization id is of no use. */
  readonly problem: string | undefined;
}

/** Asks for an address or the id, because a list of companies would tell strangers who uses this service. */
export const ChooseCompanyPage = ({ visit, refused, problem }: ChooserProps): Html => {
  const { field } = readFormEntries(refused, 'submitChooseCompany');
  return (
    <EntryPage title="Sign in with your company">
      <form class="card" method="post" action={linkToCompanySignIn(visit)}>
        <TextField
          label="Work email address"
          {...field('email')}
          type="email"
          autocomplete="email"
          hint="It leads you to your company, if your Admin has proven the domain of your address"
          required
        />
        <button type="submit">Continue</button>
        <p>
          <a href={linkToSignIn(visit)}>Sign in with a passkey instead</a>
        </p>
      </form>
      <form class="card" method="get" action={linkToCompanySignIn(visit)}>
        <TextField
          label="Or organization id"
          name="organization"
          hint="Your Admin knows it. It is also in the link to your organization's sign-in: bookmark that link, and you will not need the id again"
          required
          problem={problem}
        />
        <button type="submit" class="quiet">
          Continue
        </button>
      </form>
    </EntryPage>
  );
};

interface Props {
  readonly visit: Visit | AccountVisit;
  readonly organizationId: string;
  /** The name of the provider, and its host. */
  readonly provider: { readonly name: string; readonly host: string };
}

/** A link from a stranger must not sign the browser in unnoticed, so the person presses a button first (login CSRF). */
export const StartCompanySignInPage = ({ visit, organizationId, provider }: Props): Html => (
  <EntryPage title="Sign in with your company">
    {'account' in visit && (
      <Notice tone="flaky">
        You are signed in as {visit.account.name} ({visit.account.email}). If you continue, this browser is signed in as
        whoever you are at {provider.name}.
      </Notice>
    )}
    <section class="card" aria-label="Sign in">
      <p>
        You sign in at <strong>{provider.host}</strong> and then return here.
      </p>
      <a class="button whole" href={linkToCompanySignIn(visit, organizationId, { step: 'start' })}>
        Continue with {provider.name}
      </a>
      <p>
        <a href={linkToSignIn(visit)}>Sign in with a passkey instead</a>
      </p>
    </section>
  </EntryPage>
);
