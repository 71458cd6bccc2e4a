/** Changes a member's role, disconnects their applications, and removes the member. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ListedGrant } from '#shared/model/organizations/oauth-grant.ts';
import type { KnownMember } from '#shared/organizations/members.ts';
import { ConnectedApplications } from '#shared/pages/account/connected-applications.tsx';
import { roleOptions } from '#shared/pages/account/role-names.ts';
import { SelectField } from '#shared/pages/design/fields.tsx';
import { organizationPageHref } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage, sentValue } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface Props extends KnownMember {
  readonly visit: OrganizationVisit;
  readonly grants: readonly ListedGrant[];
  readonly origin: string;
  readonly now: number;
  readonly refused: RefusedForm | undefined;
}

export const MemberPage = ({ visit, member, account, refused, ...applications }: Props): Html => (
  <>
    <h1>{account?.name ?? member.accountId}</h1>
    <p class="soft">{account?.email}</p>
    <form method="post" action={organizationPageHref(visit, 'settings', 'members', member.accountId)}>
      <SelectField
        label="Role"
        name="role"
        value={sentValue(refused, 'submitRole', 'role') ?? member.role}
        options={roleOptions}
        hint="Admins manage people, keys and projects. Actions Admins write rules. Members cancel and delete runs. Guests read results"
      />
      <RefusalMessage refused={refused} of="submitRole" />
      <button type="submit">Save role</button>
    </form>
    <h2>Connected applications</h2>
    <RefusalMessage refused={refused} of="submitEndMemberApplication" title="Not disconnected." />
    {applications.grants.length === 0 ? (
      <p>No application is connected for this member.</p>
    ) : (
      <ConnectedApplications
        action={organizationPageHref(visit, 'settings', 'members', member.accountId, 'end-application')}
        {...applications}
      />
    )}
    <h2>Remove from {visit.organizationName}</h2>
    <p>
      The person loses access at once, and their personal access tokens and connected applications stop working. API
      keys keep working.
    </p>
    <form method="post" action={organizationPageHref(visit, 'settings', 'members', member.accountId, 'remove')}>
      <RefusalMessage refused={refused} of="submitRemoveMember" />
      <button type="submit" class="danger">
        Remove this member
      </button>
    </form>
  </>
);
