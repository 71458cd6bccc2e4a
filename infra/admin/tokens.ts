/** §5.2 Personal access tokens. */
import { type ListedToken, listPersonalTokens } from '#shared/credentials/list-personal-tokens.ts';
import { createPersonalToken, revokePersonalToken } from '#shared/credentials/personal-tokens.ts';
import { command, type Row } from './command.ts';
import { email, optional, organization, text } from './options.ts';
import { addressesOf, themselves, timeOf } from './rows.ts';

const tokenRow = (token: ListedToken, owner: string): Row => ({
  tokenId: token.tokenId,
  organization: token.organization,
  owner,
  name: token.name,
  access: token.access,
  permissions: token.permissions.join(','),
  createdAt: timeOf(token.createdAt),
  validUntil: timeOf(token.validUntil),
  lastUsedAt: timeOf(token.lastUsedAt),
  state: token.state,
});

export const TOKENS = [
  command({
    name: 'tokens create',
    does: 'create a personal access token for an Admin, who is its owner',
    options: {
      organization,
      email: email('the address of the owner'),
      name: text('<name>', 'what it is for, at most 64 characters'),
      permissions: text('<permissions>', 'such as results:read,runs:write; a write brings its read along'),
      description: optional(text('<text>', 'at most 256 characters')),
      lifetime: optional(text('7d|30d|60d|90d|1y|YYYY-MM-DD', 'its last day, in 30 days unless said otherwise')),
    },
    run: async (context, { organization: organizationId, email, permissions, ...given }) => {
      const actor = await themselves(context, email);
      const names = permissions.split(',').map((name) => name.trim());
      const wish = { organizationId, actor, permissions: names, ...given };
      const token = await createPersonalToken(context.services, wish);
      return [{ ...tokenRow(token, email), value: token.value }];
    },
    advice: () => 'The value is shown this once: keep it now.',
  }),
  command({
    name: 'tokens list',
    does: 'list personal access tokens, oldest first: all of an organization, or with --as those that this member sees',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) => {
      const tokens = await listPersonalTokens(services, { organizationId, actor });
      const addressOf = await addressesOf(
        services,
        tokens.map(({ accountId }) => accountId),
      );
      return tokens.map((token) => tokenRow(token, addressOf(token.accountId)));
    },
  }),
  command({
    name: 'tokens revoke',
    does: 'revoke a personal access token, at once and for ever',
    options: { organization, token: text('<token id>', 'the token, as "tokens list" has it') },
    run: async ({ services, actor }, { organization: organizationId, token: tokenId }) => {
      await revokePersonalToken(services, { organizationId, tokenId, actor });
      return [{ tokenId, state: 'revoked' }];
    },
  }),
];
