/** The members of an organization with their roles. */
import type { Html } from '#shared/engine/html/html.ts';
import type { Account } from '#shared/model/account.ts';
import type { Membership, Role } from '#shared/model/membership.ts';
import { FullTime } from './format.tsx';

interface Props {
  readonly members: readonly { readonly member: Membership; readonly account: Account | undefined }[];
}

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  admin: 'Admin',
  actionsAdmin: 'Actions Admin',
  member: 'Member',
  guest: 'Guest',
};

export const MembersPage = ({ members }: Props): Html => (
  <>
    <h1>Members</h1>
    <section class="scroll" tabindex={0} aria-label="Members">
      <table>
        <caption>People who can see this organization</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Role</th>
            <th scope="col" class="wide">
              Since
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map(({ member, account }) => (
            <tr>
              <th scope="row">
                {account?.name ?? member.accountId}
                <br />
                <small>{account?.email}</small>
              </th>
              <td>{ROLE_NAMES[member.role]}</td>
              <td class="wide">
                <FullTime at={member.startedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </>
);
