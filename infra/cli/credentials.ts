/** §5.1–5.3 The commands for API keys, personal access tokens and applications that act on behalf of people. */

import type { ListedGrant } from '#shared/model/oauth/oauth-grant.ts';
import { listMemberGrants, revokeMemberGrant } from '#shared/oauth/grants.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { type ListedApiKey, listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { type ListedToken, listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { createPersonalToken, revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { makeAddressLookup, requireAccount, requirePerson } from './account-lookup.ts';
import { type CommandContext, type CommandRow, command } from './command.ts';
import { choiceOption, email, optional, organization, textOption } from './options.ts';
import { formatTimeCell } from './screen.ts';

const toKeyRow = ({ keyId, label, level, lastFour, createdAt }: ListedApiKey): CommandRow => ({
  keyId,
  label,
  level,
  lastFour,
  createdAt: formatTimeCell(createdAt),
});

const toTokenRow = (
  { tokenId, organization, name, access, permissions, createdAt, validUntil, lastUsedAt, state }: ListedToken,
  owner: string,
): CommandRow => ({
  tokenId,
  organization,
  owner,
  name,
  access,
  permissions: permissions.join(','),
  createdAt: formatTimeCell(createdAt),
  validUntil: formatTimeCell(validUntil),
  lastUsedAt: formatTimeCell(lastUsedAt),
  state,
});

const toGrantRow = (grant: ListedGrant, owner: string): CommandRow => ({
  grantId: grant.hash,
  email: owner,
  clientId: grant.clientId,
  clientName: grant.clientName ?? '',
  resource: grant.resource,
  scopes: grant.scopes.join(','),
  createdAt: formatTimeCell(grant.createdAt),
  renewedAt: formatTimeCell(grant.renewedAt),
  endsAt: formatTimeCell(grant.expiresAt * 1000),
});

const HOLDER = { organization, email: email('address of the person for whom the applications act') };

async function resolveHolder(
  { services, actor }: CommandContext,
  { organization: organizationId, email }: { readonly organization: string; readonly email: string },
) {
  const { accountId } = await requireAccount(services, email);
  return { organizationId, accountId, actor };
}

const getStoreAdvice = (): string => 'The value is shown only once. Store it now.';

export const CREDENTIALS = [
  command({
    name: 'keys create',
    does: 'create an API key of an organization, in an emergency: otherwise an Admin creates it in the dashboard',
    options: {
      organization,
      label: textOption('<label>', 'label, shown in lists and audit records'),
      level: choiceOption(['readOnly', 'readWrite'], 'Read Only or Read & Write; recording needs Read & Write'),
    },
    run: async ({ services, actor }, { organization: organizationId, label, level }) => {
      const key = await createApiKey(services, { organizationId, actor, label, level });
      return [{ ...toKeyRow(key), value: key.value }];
    },
    advice: getStoreAdvice,
  }),
  command({
    name: 'keys list',
    does: 'list the API keys of an organization, oldest first, without their values',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) =>
      (await listApiKeys(services, { organizationId, actor })).map(toKeyRow),
  }),
  command({
    name: 'keys delete',
    does: 'delete an API key; it stops working immediately',
    options: { organization, key: textOption('<key id>', 'id from "keys list"') },
    run: async ({ services, actor }, { organization: organizationId, key: keyId }) => [
      toKeyRow(await deleteApiKey(services, { organizationId, actor, keyId })),
    ],
  }),
  command({
    name: 'tokens create',
    does: 'create a personal access token that an Admin owns, in an emergency: otherwise they create it in the dashboard',
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
    run: async (context, { organization: organizationId, email, permissions, ...details }) => {
      const actor = await requirePerson(context, email);
      const names = permissions.split(',').map((name) => name.trim());
      const request = { organizationId, actor, auditAs: context.actor, permissions: names, ...details };
      const token = await createPersonalToken(context.services, request);
      return [{ ...toTokenRow(token, email), value: token.value }];
    },
    advice: getStoreAdvice,
  }),
  command({
    name: 'tokens list',
    does: 'list personal access tokens, oldest first; with --as, those visible to that member',
    options: { organization },
    run: async ({ services, actor }, { organization: organizationId }) => {
      const tokens = await listPersonalTokens(services, { organizationId, actor });
      const addressOf = await makeAddressLookup(
        services,
        tokens.map(({ accountId }) => accountId),
      );
      return tokens.map((token) => toTokenRow(token, addressOf(token.accountId)));
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
  command({
    name: 'grants list',
    does: 'list the applications that act for a person in an organization, oldest first',
    options: HOLDER,
    run: async (context, options) => {
      const grants = await listMemberGrants(context.services, await resolveHolder(context, options));
      return grants.map((grant) => toGrantRow(grant, options.email));
    },
  }),
  command({
    name: 'grants revoke',
    does: 'disconnect an application; its last access token works for at most one more hour',
    options: { ...HOLDER, grant: textOption('<grant id>', 'id from "grants list"') },
    run: async (context, { grant: hash, ...options }) => {
      await revokeMemberGrant(context.services, { ...(await resolveHolder(context, options)), hash });
      return [{ grantId: hash, state: 'revoked' }];
    },
  }),
];
