/** Creates members and their personal tokens with functions of the product. */

import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { addMember } from '#shared/organizations/members.ts';
import { createPersonalToken, type TokenRequest } from '#shared/organizations/personal-tokens.ts';
import { type Client, client } from './client.ts';
import type { Tenant, TestService } from './service.ts';

type Stage = TestService & Tenant;

export async function member({ services, organizationId }: Stage, role: Role): Promise<Account> {
  const account = await createAccount(services, { email: `${crypto.randomUUID()}@example.com`, name: 'Alex Doe' });
  await addMember(services, { organizationId, accountId: account.accountId, role, actor: OPERATOR });
  return account;
}

export interface Token {
  readonly tokenId: string;
  readonly value: string;
  readonly owner: Account;
  readonly api: Client;
}

/** Creates a personal token. By default, its owner is a new Admin, and it has `projects:read` and `results:read`. */
export async function token(
  stage: Stage,
  more: Partial<TokenRequest> & { readonly owner?: Account } = {},
): Promise<Token> {
  const { owner = await member(stage, 'admin'), ...request } = more;
  const { organizationId, services, origin } = stage;
  const permissions = ['projects:read', 'results:read'];
  const inputs = { organizationId, actor: makePerson(owner), name: 'laptop', permissions, ...request };
  const { tokenId, value } = await createPersonalToken(services, inputs);
  return { tokenId, value, owner, api: client(origin, value) };
}
