/** Members and their tokens, made by the product's own verbs. */
import { createPersonalToken, type TokenRequest } from '#shared/credentials/personal-tokens.ts';
import { OPERATOR, person } from '#shared/organizations/actor.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { addMember } from '#shared/organizations/members.ts';
import type { Account } from '#shared/resources/account.ts';
import type { Role } from '#shared/resources/membership.ts';
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

/** A token of a new Admin, or of the one that is given, with every read permission unless told otherwise. */
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
