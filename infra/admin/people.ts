/** Members and their personal tokens. */
import { createPersonalToken, listPersonalTokens, revokePersonalToken } from '#shared/credentials/personal-tokens.ts';
import { OPERATOR } from '#shared/organizations/audit.ts';
import { createAccount, findAccount } from '#shared/organizations/create-account.ts';
import { addMember, changeRole, listMembers, removeMember } from '#shared/organizations/members.ts';
import { type Account, accounts } from '#shared/resources/account.ts';
import { type Membership, ROLES, type Role } from '#shared/resources/membership.ts';
import type { PersonalToken } from '#shared/resources/personal-token.ts';
import type { Administration } from '#shared/services.ts';
import { type Command, type Options, organizationOf, type Row, required, time } from './options.ts';
import { UsageError } from './usage.ts';

export const PEOPLE: Readonly<Record<string, Command>> = {
  'members add': async (services, options) => {
    const organizationId = await organizationOf(services, options);
    const email = required(options, 'email');
    const account =
      (await findAccount(services, email)) ??
      (await createAccount(services, { email, name: options['name'] ?? email }));
    const { accountId } = account;
    return [
      memberRow(
        await addMember(services, { organizationId, accountId, role: roleOf(options), actor: OPERATOR }),
        account,
      ),
    ];
  },
  'members list': async (services, options) => {
    const members = await listMembers(services, { organizationId: await organizationOf(services, options) });
    const known = await services.table.getMany(accounts, members, { consistent: true });
    return members.map((member, index) => memberRow(member, known[index]));
  },
  'members role': async (services, options) => {
    const change = await memberOf(services, options);
    await changeRole(services, { ...change, role: roleOf(options) });
    return [{ accountId: change.accountId, role: roleOf(options) }];
  },
  'members remove': async (services, options) => {
    const change = await memberOf(services, options);
    await removeMember(services, { ...change, action: 'member removed' });
    return [{ accountId: change.accountId, role: '' }];
  },
  'tokens create': async (services, options) => {
    const { organizationId, accountId } = await memberOf(services, options);
    const permissions = required(options, 'permissions')
      .split(',')
      .map((name) => name.trim());
    const inputs = {
      name: required(options, 'name'),
      description: options['description'],
      lifetime: options['lifetime'],
    };
    const token = await createPersonalToken(services, { organizationId, accountId, permissions, ...inputs });
    return [{ ...tokenRow(token, services.now()), value: token.value }];
  },
  'tokens list': async (services, options) => {
    const tokens = await listPersonalTokens(services, { organizationId: await organizationOf(services, options) });
    return tokens.map((token) => tokenRow(token, services.now()));
  },
  'tokens revoke': async (services, options) => {
    const organizationId = await organizationOf(services, options);
    const tokenId = required(options, 'token');
    await revokePersonalToken(services, { organizationId, tokenId, actor: OPERATOR });
    return [{ tokenId, state: 'revoked' }];
  },
};

async function memberOf(services: Administration, options: Options) {
  const organizationId = await organizationOf(services, options);
  const email = required(options, 'email');
  const account = await findAccount(services, email);
  if (!account) throw new UsageError(`Nobody has the address ${email}. "members list" shows who there is`);
  return { organizationId, accountId: account.accountId, actor: OPERATOR };
}

function roleOf(options: Options): Role {
  const role = ROLES.find((known) => known === options['role']);
  if (!role) throw new UsageError(`--role takes ${ROLES.join(', ')}`);
  return role;
}

const memberRow = ({ accountId, role, startedAt }: Membership, account: Account | undefined): Row => ({
  accountId,
  email: account?.email ?? '',
  name: account?.name ?? '',
  role,
  since: time(startedAt),
});

const tokenRow = (token: PersonalToken, now: number): Row => ({
  tokenId: token.tokenId,
  name: token.name,
  accountId: token.accountId,
  permissions: token.permissions.join(','),
  createdAt: time(token.createdAt),
  validUntil: time(token.validUntil),
  lastUsedAt: time(token.lastUsedAt),
  state: token.revokedAt !== undefined ? 'revoked' : now > token.validUntil ? 'expired' : 'live',
});
