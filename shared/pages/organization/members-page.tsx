/** The members of an organization with their roles, and its invitations. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { ListedInvitation } from '#shared/organizations/invitations.ts';
import type { KnownMember } from '#shared/organizations/members.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { Avatar, GroupHead, PageHead } from '#shared/pages/design/parts.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { getRoleName } from '#shared/pages/shell/role-names.ts';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface Props extends WithForms<OrganizationVisit> {
  readonly members: readonly KnownMember[];
  /** The invitations, including expired ones. Absent for roles that may not see them. */
  readonly invitations: readonly ListedInvitation[] | undefined;
  readonly now: number;
}

export const MembersPage = ({ visit, members, invitations, now, refused }: Props): Html => (
  <>
    <PageHead
      title="Members"
      meta={`People who can see ${visit.organizationName}`}
      actions={
        <>
          {may(visit.person, 'invitations:create') && (
            <a class="button" href={linkToOrganizationSettings(visit, 'members', 'invite')}>
              <Icon name="user-plus" />
              Invite a person
            </a>
          )}
          {may(visit.person, 'people:erase') && (
            <a class="button quiet" href={linkToOrganizationSettings(visit, 'members', 'erase')}>
              Erase a person…
            </a>
          )}
          <a class="button quiet" href={linkToOrganizationSettings(visit, 'leave')}>
            Leave this organization…
          </a>
        </>
      }
    />
    <RefusalMessage refused={refused} of="submitMemberCode" title="No code was created." />
    <MemberTable visit={visit} members={members} />
    {invitations && <GroupHead title="Invitations" note="people who have not joined yet" />}
    <RefusalMessage refused={refused} of="submitWithdrawInvitation" title="The invitation was not withdrawn." />
    {invitations && <Invitations visit={visit} invitations={invitations} now={now} />}
  </>
);

function MemberTable({ visit, members }: Pick<Props, 'visit' | 'members'>): Html {
  const mayChange = may(visit.person, 'members:changeRole');
  const columns = ['Name', 'Role', ...wide('Since')];
  return (
    <DataTable label="Members" columns={mayChange ? [...columns, 'Change'] : columns}>
      {members.map(({ member, account }) => (
        <tr>
          <th scope="row">
            <span class="row">
              <Avatar name={account?.name ?? member.accountId} />
              <span>
                {account?.name ?? member.accountId}
                <br />
                <small>{account?.email}</small>
              </span>
            </span>
          </th>
          <td>
            <span class="badge">{getRoleName(member.role)}</span>
          </td>
          <td class="wide">
            <FullTime at={member.startedAt} />
          </td>
          {mayChange && (
            <td>
              <a
                href={linkToOrganizationSettings(visit, 'members', member.accountId)}
                aria-label={`Change ${account?.name ?? member.accountId}`}
              >
                Change…
              </a>
            </td>
          )}
        </tr>
      ))}
    </DataTable>
  );
}

const Invitations = ({
  visit,
  invitations,
  now,
}: Pick<Props, 'visit' | 'now'> & { readonly invitations: readonly ListedInvitation[] }): Html =>
  invitations.length === 0 ? (
    <p class="soft">There are no open invitations.</p>
  ) : (
    <DataTable label="Invitations" columns={['Address', 'Role', 'Valid until', 'Withdraw']}>
      {invitations.map(({ email, role, validUntil }) => (
        <tr>
          <th scope="row">{email}</th>
          <td>{getRoleName(role)}</td>
          <td>{now > validUntil ? 'expired' : <FullTime at={validUntil} />}</td>
          <td>
            <PostButton
              action={linkToOrganizationSettings(visit, 'members', 'withdraw')}
              fields={{ email }}
              class="quiet small"
              label={`Withdraw the invitation for ${email}`}
            >
              Withdraw
            </PostButton>
          </td>
        </tr>
      ))}
    </DataTable>
  );
