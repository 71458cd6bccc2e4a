/** §5.2 The list of personal tokens: it tells of revocation and expiry, not of what else a token is refused for. */
import { holds, mayLook, type Question } from '../organizations/rights.ts';
import type { Organization } from '../resources/organization.ts';
import { changesSomething } from '../resources/permissions.ts';
import type { PersonalToken } from '../resources/personal-token.ts';
import type { Administration } from '../services.ts';
import { tokensOf } from './tokens-of.ts';

export interface ListedToken extends Omit<PersonalToken, 'hash'> {
  /** Its organization's name. */
  readonly organization: string;
  readonly access: 'read' | 'write';
  readonly state: 'live' | 'expired' | 'revoked';
}

/** Oldest first: all of the organization for its Admins, one's own for everybody else. */
export async function listPersonalTokens(services: Administration, question: Question): Promise<ListedToken[]> {
  const { actor } = question;
  const standing = await mayLook(services, question, 'list own tokens');
  const all = await tokensOf(services, question);
  const isShown = ({ accountId }: PersonalToken) =>
    holds(standing, 'list all tokens') || (actor.kind === 'person' && actor.accountId === accountId);
  return all.filter(isShown).map((token) => listedToken(token, standing.organization, services.now()));
}

/** Picked by name: an item from the table has its hash in its key, too. */
export const listedToken = (token: PersonalToken, { name }: Pick<Organization, 'name'>, now: number): ListedToken => ({
  tokenId: token.tokenId,
  organizationId: token.organizationId,
  organization: name,
  accountId: token.accountId,
  name: token.name,
  description: token.description,
  permissions: token.permissions,
  access: token.permissions.some(changesSomething) ? 'write' : 'read',
  lastFour: token.lastFour,
  createdAt: token.createdAt,
  validUntil: token.validUntil,
  ...(token.lastUsedAt === undefined ? {} : { lastUsedAt: token.lastUsedAt }),
  ...(token.revokedAt === undefined ? {} : { revokedAt: token.revokedAt }),
  state: stateOf(token, now),
});

function stateOf({ revokedAt, validUntil }: PersonalToken, now: number): ListedToken['state'] {
  if (revokedAt !== undefined) return 'revoked';
  return now > validUntil ? 'expired' : 'live';
}
