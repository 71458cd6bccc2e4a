/** The page that an invitation link opens. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import type { DeploymentProvider } from '#shared/model/sign-in/deployment-provider.ts';
import { EntryPage } from '#shared/pages/design/entry-page.tsx';
import { HiddenFields, TextField } from '#shared/pages/design/fields.tsx';
import { Notice } from '#shared/pages/design/parts.tsx';
import { linkToInvitation, linkToSignIn, linkToSignOut } from '#shared/pages/shell/hrefs.ts';
import { findSentValue, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { getRoleName } from '#shared/pages/shell/role-names.ts';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';

const OF = 'submitInvitation';

/** What is known once the page has the code. */
export interface ShownInvitation {
  readonly code: string;
  readonly organizationName: string;
  /** Absent if the operator of the service sent the invitation. */
  readonly inviter: string | undefined;
  readonly role: Role;
  readonly email: string;
}

interface Props extends WithForms<Visit | AccountVisit> {
  readonly providers: readonly DeploymentProvider[];
  /** Absent as long as the page has no code that works. */
  readonly invitation: ShownInvitation | undefined;
}

/**
 * Lets a person accept an invitation. The page of the link shows neither the organization nor the invited email address,
 * because automatic link scanners also open it. The script sends the code, which shows both, and a button joins.
 */
export const InvitationPage = ({ visit, refused, providers, invitation }: Props): Html => (
  <EntryPage title={invitation ? `Join ${invitation.organizationName}` : 'Join an organization'}>
    <RefusalMessage refused={refused} of={OF} title="You did not join." />
    {invitation ? (
      <>
        <p>
          <strong>{invitation.inviter ?? 'The operator of this service'}</strong> invites{' '}
          <strong>{invitation.email}</strong> to <strong>{invitation.organizationName}</strong>, with the role{' '}
          {getRoleName(invitation.role)}.
        </p>
        <JoinForm visit={visit} refused={refused} providers={providers} invitation={invitation} />
      </>
    ) : (
      <form class="card" method="post" action={linkToInvitation(visit)}>
        <HiddenFields fields={{ step: 'look' }} />
        <TextField
          label="Code"
          name="code"
          value={findSentValue(refused, OF, 'code')}
          hint="The part of your invitation link after the # sign. The link works only once."
          autocomplete="one-time-code"
          required
          fromFragment="submit"
        />
        <button type="submit">Continue</button>
      </form>
    )}
    {'account' in visit ? (
      <form method="post" action={linkToSignOut(visit)} class="actions">
        <button type="submit" class="plain">
          Not you? Sign out
        </button>{' '}
        <span class="soft">Then open the invitation again.</span>
      </form>
    ) : (
      <p>
        Do you have an account already? <a href={linkToSignIn(visit, '/invitations')}>Sign in</a> first, and open the
        invitation again.
      </p>
    )}
  </EntryPage>
);

const JoinForm = ({
  visit,
  refused,
  providers,
  invitation: { code, email },
}: Props & { readonly invitation: ShownInvitation }): Html => {
  if ('account' in visit && visit.account.email !== email)
    return (
      <Notice tone="flaky">
        You are signed in as {visit.account.name} ({visit.account.email}), which is another address.
      </Notice>
    );
  return (
    <form class="card" method="post" action={linkToInvitation(visit)}>
      <HiddenFields fields={{ code }} />
      {'account' in visit ? (
        <p>
          You are signed in as {visit.account.name} ({visit.account.email}). Continue only if you expected this
          invitation.
        </p>
      ) : (
        <TextField
          label="Your name"
          name="name"
          value={findSentValue(refused, OF, 'name')}
          hint="It is shown to other members"
          autocomplete="name"
          maxlength={128}
          required
        />
      )}
      <div class="actions">
        <button type="submit">
          {'account' in visit ? `Join as ${visit.account.name}` : 'Create an account and join'}
        </button>
        {!('account' in visit) &&
          providers.map(({ providerId, name }) => (
            <button type="submit" class="quiet" name="provider" value={providerId} formnovalidate>
              Join with {name}
            </button>
          ))}
      </div>
    </form>
  );
};
