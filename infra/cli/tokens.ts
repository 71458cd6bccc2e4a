/** §5.2 The commands for personal access tokens. */
import { type ListedToken, listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { createPersonalToken, revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { type CommandRow, command } from './command.ts';
import { email, optional, organization, textOption } from './options.ts';
import { addressesOf, personWith, timeCell } from './rows.ts';

const tokenRow = (token: ListedToken, owner: string): CommandRow => ({
  tokenId: token.tokenId,
  organization: token.organization,
  owner,
  name: token.name,
  access: token.access,
  permissions: token.permissions.join(','),
  createdAt: timeCell(token.createdAt),
  validUntil: timeCell(token.validUntil),
  lastUsedAt: timeCell(token.lastUsedAt),
  state: token.state,
});

export const TOKENS = [
  command({
    name: 'tokens create',
    does: 'create a personal access token that an Admin owns',
    options: {
      organization,
      email: email('address of the owner'),
      name: textOption('<name>', 'name, at most 64 characters'),
      permissions: textOption(
        '<permissions>',
        'such as results:read,runs:write; a write permission includes its read permission',
      ),
      description: optional(textOption('<text>', 'description, at most 256 characters')),
      lifetime: optional(textOption('7d|30d|60d|90d|1y|YYYY-MM-DD', 'lifetime or last day; 30d by default')),
    },
    run: async (context, { organization: organizationId, email, permissions, ...given }) => {
      const actor = await personWith(context, email);
      const names = permissions.split(',').map((name) => name.trim());
      const request = { organizationId, actor, permissions: names, ...given };
      const token = await createPersonalToken(context.services, request);
      return [{ ...tokenRow(token, email), value: token.value }];
    },
    advice: () => 'The value is shown only once. Store it now.',
  }),
  command({
    name: 'tokens list',
    does: 'list personal access tokens, oldest first; with --as, those visible to that member',
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
    does: 'revoke a personal access token at once and for good',
    options: { organization, token: textOption('<token id>', 'id from "tokens list"') },
    run: async ({ services, actor }, { organization: organizationId, token: tokenId }) => {
      await revokePersonalToken(services, { organizationId, tokenId, actor });
      return [{ tokenId, state: 'revoked' }];
    },
  }),
];
