/** §5.2 Lists personal access tokens. A `live` token can still be refused, for example after its owner has left. */
import type { Person } from '#shared/access/actor.ts';
import { may } from '#shared/access/may.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { isWrite } from '#shared/model/organizations/permissions.ts';
import {
  getTokensSpan,
  type PersonalToken,
  personalTokens,
  tokensOfOrganization,
} from '#shared/model/organizations/personal-token.ts';
import type { CoreServices } from '#shared/services.ts';
import { listOwnOrganizations } from './own-organizations.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';

export interface ListedToken extends Omit<PersonalToken, 'hash'> {
  /** The name of the token's organization. */
  readonly organization: string;
  readonly access: 'read' | 'write';
  readonly state: 'live' | 'expired' | 'revoked';
}

/** The tokens of an organization, oldest first. Admins see all tokens, and other members see only their own. */
export async function listPersonalTokens(services: CoreServices, request: OrganizationRequest): Promise<ListedToken[]> {
  const { actor, organization } = await authorizeRead(services, request, 'tokens:list');
  const all = await readOrganizationTokens(services, request);
  const isShown = ({ accountId }: PersonalToken) =>
    may(actor, 'tokens:listAll') || (actor.kind === 'person' && actor.accountId === accountId);
  return all.filter(isShown).map((token) => toListedToken(token, organization, services.now()));
}

/** In all organizations of the person, grouped by organization, oldest first within each. */
export async function listOwnTokens(services: CoreServices, actor: Person): Promise<ListedToken[]> {
  const organizations = await listOwnOrganizations(services, actor);
  const all = await Promise.all(
    organizations.map(({ organizationId }) => listPersonalTokens(services, { organizationId, actor })),
  );
  return all.flat().filter(({ accountId }) => accountId === actor.accountId);
}

/** Copies each property by name: the stored item also contains the hash of the token, which must not be listed. */
export const toListedToken = (
  token: PersonalToken,
  { name }: Pick<Organization, 'name'>,
  now: number,
): ListedToken => ({
  tokenId: token.tokenId,
  organizationId: token.organizationId,
  organization: name,
  accountId: token.accountId,
  name: token.name,
  description: token.description,
  permissions: token.permissions,
  access: token.permissions.some(isWrite) ? 'write' : 'read',
  lastFour: token.lastFour,
  createdAt: token.createdAt,
  validUntil: token.validUntil,
  lastUsedAt: token.lastUsedAt,
  revokedAt: token.revokedAt,
  state: deriveTokenState(token, now),
});

function deriveTokenState({ revokedAt, validUntil }: PersonalToken, now: number): ListedToken['state'] {
  if (revokedAt !== undefined) return 'revoked';
  return now > validUntil ? 'expired' : 'live';
}

/** All personal tokens of an organization, oldest first, including revoked and expired ones. */
export const readOrganizationTokens = (
  { table }: WithTable,
  organization: { readonly organizationId: string },
): Promise<PersonalToken[]> =>
  readListedItems(table, tokensOfOrganization, getTokensSpan(organization), personalTokens);
