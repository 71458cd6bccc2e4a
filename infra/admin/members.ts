/** Members of an organization. */
import { createAccount, findAccount } from '#shared/organizations/create-account.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  listMembers,
  removeMember,
} from '#shared/organizations/members.ts';
import { requireOperator } from '#shared/organizations/rights.ts';
import { type Account, accounts } from '#shared/resources/account.ts';
import type { Membership } from '#shared/resources/membership.ts';
import { type Context, command, type Row } from './command.ts';
import { email, optional, organization, role, text } from './options.ts';
import { accountWith, themselves, timeOf } from './rows.ts';

export const memberRow = ({ accountId, role, startedAt }: Membership, account: Account | undefined): Row => ({
  accountId,
  email: account?.email ?? '',
  name: account?.name ?? '',
  role,
  since: timeOf(startedAt),
});

interface Given {
  readonly organization: string;
  readonly email: string;
}

/** Whom it is about, by whom, and how they stand afterwards. */
async function about({ services, actor }: Context, { organization: organizationId, email }: Given) {
  const account = await accountWith(services, email);
  return { account, of: { organizationId, accountId: account.accountId, actor } };
}
const gone = ({ accountId, email }: Account, state: string, { admins }: { admins: number }): Row[] => [
  { accountId, email, state, adminsLeft: String(admins) },
];

const MEMBER = { organization, email: email('their address') };

export const MEMBERS = [
  command({
    name: 'members add',
    does: 'make somebody a member without an invitation, with an account of their own if they have none yet',
    options: { ...MEMBER, role, name: optional(text('<name>', 'what a new account is called')) },
    run: async ({ services, actor }, { organization: organizationId, email, role, name = email }) => {
      requireOperator(actor);
      const account = (await findAccount(services, email)) ?? (await createAccount(services, { email, name }));
      const { accountId } = account;
      return [memberRow(await addMember(services, { organizationId, accountId, role, actor }), account)];
    },
  }),
  command({
    name: 'members list',
    does: 'list who is in an organization, as what and since when',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) => {
      const members = await listMembers(services, { organizationId, actor });
      const known = await services.table.getMany(accounts, members, { consistent: true });
      return members.map((member, index) => memberRow(member, known[index]));
    },
  }),
  command({
    name: 'members role',
    does: 'give a member another role; an organization keeps at least one Admin',
    options: { ...MEMBER, role },
    run: async (context, { role, ...given }) => {
      const { account, of } = await about(context, given);
      return [memberRow(await changeRole(context.services, { ...of, role }), account)];
    },
  }),
  command({
    name: 'members remove',
    does: 'take a member out; their tokens are refused at once',
    options: MEMBER,
    run: async (context, given) => {
      const { account, of } = await about(context, given);
      return gone(account, 'removed', await removeMember(context.services, of));
    },
  }),
  command({
    name: 'members leave',
    does: 'leave an organization',
    options: { organization, email: email('the address of who leaves') },
    run: async (context, { organization: organizationId, email }) => {
      const actor = await themselves(context, email);
      const left = await leaveOrganization(context.services, { organizationId, actor });
      return gone(await accountWith(context.services, email), 'left', left);
    },
  }),
  command({
    name: 'members deprovision',
    does: 'take out somebody whom the directory (SCIM) no longer knows, the last Admin too, and revoke their tokens',
    options: MEMBER,
    run: async (context, given) => {
      const { account, of } = await about(context, given);
      return gone(account, 'deprovisioned', await deprovisionMember(context.services, of));
    },
    advice: ([row]) =>
      row?.['adminsLeft'] === '0'
        ? 'The organization has no Admin now. Make one with "members role" or "members add".'
        : undefined,
  }),
];
