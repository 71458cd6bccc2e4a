/** §5 SCIM tokens: Admins create them in the dashboard, and the directory of the company sends them. */
import { type DirectoryActor, formatActorName } from '#shared/access/actor.ts';
import { createSecret, hashToken, isSameHash, isSecret } from '#shared/access/token.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { ABSENT, PRESENT, put, remove, removeWhen } from '#shared/engine/table/writes.ts';
import {
  getScimTokensSpan,
  type ScimToken,
  scimTokens,
  scimTokensOfOrganization,
} from '#shared/model/directory/scim-token.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { reserveRoom } from '#shared/organizations/room-for-one.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices, WithClock } from '#shared/services.ts';
import { tooManyTokens } from './errors.ts';
import { DIRECTORY_LIMITS } from './limits.ts';

const PREFIX = 'rdn_scim';

export type ListedScimToken = Omit<ScimToken, 'hash'>;

const toListedToken = ({ hash: _, ...token }: ScimToken): ListedScimToken => token;

/** The value is returned only here and cannot be read later. */
export function createScimToken(
  services: CoreServices,
  request: OrganizationRequest,
): Promise<ListedScimToken & { readonly value: string }> {
  const { organizationId, actor } = request;
  return changeOrganization(services, { ...request, action: 'scimTokens:create' }, async () => {
    const room = await reserveRoom(services, {
      organizationId,
      what: 'SCIM tokens',
      limit: DIRECTORY_LIMITS.scimTokens,
      count: async () => (await readTokens(services, request)).length,
      refusal: tooManyTokens,
    });
    const value = createSecret(PREFIX);
    const token: ScimToken = {
      hash: hashToken(value),
      tokenId: services.randomId(DIRECTORY_LIMITS.tokenIdCharacters),
      organizationId,
      lastFour: value.slice(-4),
      createdBy: formatActorName(actor),
      createdAt: services.now(),
    };
    return {
      result: { ...toListedToken(token), value },
      writes: [room, put(scimTokens, token, ABSENT), put(scimTokensOfOrganization, token)],
      record: { action: 'SCIM token created', ...describeToken(token) },
    };
  });
}

const describeToken = ({ tokenId, lastFour }: ScimToken) => ({
  subject: tokenId,
  label: `SCIM token …${lastFour}`,
  detail: `ends with ${lastFour}`,
});

export async function listScimTokens(services: CoreServices, request: OrganizationRequest): Promise<ListedScimToken[]> {
  await authorizeRead(services, request, 'signIn:read');
  return (await readTokens(services, request)).map(toListedToken);
}

async function readTokens(
  { table }: CoreServices,
  request: Pick<OrganizationRequest, 'organizationId'>,
): Promise<ScimToken[]> {
  const entries = await table.queryAll(scimTokensOfOrganization, getScimTokensSpan(request), { consistent: true });
  const tokens = await table.getMany(scimTokens, entries, { consistent: true });
  return tokens.flatMap((token) => token ?? []);
}

export function revokeScimToken(
  services: CoreServices,
  request: OrganizationRequest & { readonly tokenId: string },
): Promise<void> {
  return changeOrganization(services, { ...request, action: 'scimTokens:revoke' }, async () => {
    const tokens = await readTokens(services, request);
    const token = tokens.find(({ tokenId }) => tokenId === request.tokenId) ?? refuse(notFound('SCIM token'));
    return {
      result: undefined,
      writes: [removeWhen(scimTokens, token, PRESENT), remove(scimTokensOfOrganization, token)],
      record: { action: 'SCIM token revoked', ...describeToken(token) },
    };
  });
}

/** Read for an unknown token, so that its refusal takes as long as that of a known one. */
const NOBODY = { organizationId: '-' };

/** Returns `undefined` for every unusable token, so that nobody can tell the reasons apart. */
export async function verifyScimToken(
  { table, now }: WithClock,
  value: string | undefined,
): Promise<DirectoryActor | undefined> {
  if (value === undefined || !isSecret(PREFIX, value)) return undefined;
  const hash = hashToken(value);
  const storedToken = await table.get(scimTokens, { hash }, { consistent: true });
  const token = storedToken && isSameHash(storedToken.hash, hash) ? storedToken : undefined;
  const organization = await table.get(organizations, token ?? NOBODY, { consistent: true });
  if (!token || !organization || organization.deactivatedAt !== undefined) return undefined;
  const { organizationId, tokenId, lastUsedAt = 0 } = token;
  if (lastUsedAt <= now() - DIRECTORY_LIMITS.lastUseMilliseconds)
    await table.update(scimTokens, token, { set: [['lastUsedAt', now()]] }, PRESENT);
  return { kind: 'directory', organizationId, tokenId };
}
