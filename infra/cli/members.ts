/** §5 The commands for members of an organization. */

import { requirePermission } from '#shared/access/may.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import type { Membership } from '#shared/model/organizations/membership.ts';
import { createAccount, findAccount } from '#shared/organizations/create-account.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  listPeople,
  removeMember,
} from '#shared/organizations/members.ts';
import { type CommandContext, type CommandRow, command } from './command.ts';
import { email, optional, organization, role, textOption } from './options.ts';
import { accountWith, personWith, timeCell } from './rows.ts';

export const memberRow = ({ accountId, role, startedAt }: Membership, account: Account | undefined): CommandRow => ({
  accountId,
  email: account?.email ?? '',
  name: account?.name ?? '',
  role,
  since: timeCell(startedAt),
});

interface Given {
  readonly organization: string;
  readonly email: string;
}

/** Looks up the account with the given email address, and builds the request that changes its membership. */
async function memberIn({ services, actor }: CommandContext, { organization: organizationId, email }: Given) {
  const account = await accountWith(services, email);
  return { account, request: { organizationId, accountId: account.accountId, actor } };
}
const endedRow = ({ accountId, email }: Account, state: string, { admins }: { admins: number }): CommandRow[] => [
  { accountId, email, state, adminsLeft: admins },
];

const MEMBER = { organization, email: email('address of the member') };

export const MEMBERS = [
  command({
    name: 'members add',
    does: 'add a member without an invitation, and create the account if needed',
    options: {
      ...MEMBER,
      role,
      name: optional(textOption('<name>', 'name for a new account')),
      'invited-by': optional(
        textOption(
          '<id>',
          'id of the organization whose invitation created the account, to confirm that you know the person; an error names this id',
        ),
      ),
    },
    run: async ({ services, actor }, { organization: organizationId, email, role, name = email, ...given }) => {
      const invitedBy = given['invited-by'];
      requirePermission(actor, 'members:add');
      const account = (await findAccount(services, email)) ?? (await createAccount(services, { email, name }));
      const { accountId } = account;
      return [memberRow(await addMember(services, { organizationId, accountId, role, actor, invitedBy }), account)];
    },
  }),
  command({
    name: 'members list',
    does: 'list the members of an organization with their roles',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) => {
      const people = await listPeople(services, { organizationId, actor });
      return people.map(({ member, account }) => memberRow(member, account));
    },
  }),
  command({
    name: 'members role',
    does: 'change the role of a member; an organization keeps at least one Admin',
    options: { ...MEMBER, role },
    run: async (context, { role, ...given }) => {
      const { account, request } = await memberIn(context, given);
      return [memberRow(await changeRole(context.services, { ...request, role }), account)];
    },
  }),
  command({
    name: 'members remove',
    does: 'remove a member; their tokens stop working immediately',
    options: MEMBER,
    run: async (context, given) => {
      const { account, request } = await memberIn(context, given);
      return endedRow(account, 'removed', await removeMember(context.services, request));
    },
  }),
  command({
    name: 'members leave',
    does: 'leave an organization',
    options: { organization, email: email('address of the member who leaves') },
    run: async (context, { organization: organizationId, email }) => {
      const actor = await personWith(context, email);
      const left = await leaveOrganization(context.services, { organizationId, actor });
      return endedRow(await accountWith(context.services, email), 'left', left);
    },
  }),
  command({
    name: 'members deprovision',
    does: 'remove a member, even the last Admin, and revoke their tokens, as SCIM deprovisioning does',
    options: MEMBER,
    run: async (context, given) => {
      const { account, request } = await memberIn(context, given);
      return endedRow(account, 'deprovisioned', await deprovisionMember(context.services, request));
    },
    advice: ([row]) =>
      row?.['adminsLeft'] === '0'
        ? 'The organization has no Admin now. Appoint one with "members role" or "members add".'
        : undefined,
  }),
];
