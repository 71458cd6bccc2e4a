/** Creates members and their tokens through the product's own functions. */

import { OPERATOR, person } from '#shared/access/actor.ts';
import type { Account } from '#shared/model/account.ts';
import type { Role } from '#shared/model/membership.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { newAccount } from '#shared/organizations/create-account.ts';
import { adminsIn, countAdmins, membershipRows } from '#shared/organizations/membership-rows.ts';
import { createPersonalToken, type TokenRequest } from '#shared/organizations/personal-tokens.ts';
import { type Client, client } from './client.ts';
import type { Tenant, TestService } from './service.ts';

type Stage = TestService & Tenant;

/** Account and membership are new, so one change makes both. */
export const member = ({ services, organizationId }: Stage, role: Role): Promise<Account> =>
  changeOrganization(services, { organizationId, actor: OPERATOR, action: 'members:add' }, ({ organization }) => {
    const person = { email: `${crypto.randomUUID()}@example.com`, name: 'Alex Doe' };
    const { account, writes } = newAccount(services, person);
    const { accountId } = account;
    const membership = { organizationId, accountId, role, startedAt: services.now() };
    return {
      result: account,
      writes: [...writes, ...membershipRows(membership), ...countAdmins(organization, adminsIn(role))],
      record: { action: 'member added', subject: accountId, detail: role },
    };
  });

export interface Token {
  readonly tokenId: string;
  readonly value: string;
  readonly owner: Account;
  readonly api: Client;
}

/** Creates a token, by default of a new Admin with every read permission. */
export async function token(
  stage: Stage,
  more: Partial<TokenRequest> & { readonly owner?: Account } = {},
): Promise<Token> {
  const { owner = await member(stage, 'admin'), ...request } = more;
  const { organizationId, services, origin } = stage;
  const permissions = ['projects:read', 'results:read'];
  const inputs = { organizationId, actor: person(owner), name: 'laptop', permissions, ...request };
  const { tokenId, value } = await createPersonalToken(services, inputs);
  return { tokenId, value, owner, api: client(origin, value) };
}
