/** §5 A token with which the directory of a company provisions people, stored under the hash of its value. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';

export interface ScimToken {
  /** SHA-256 of the value, in hex. */
  readonly hash: string;
  readonly tokenId: string;
  readonly organizationId: string;
  readonly lastFour: string;
  /** The name of the actor who created the token, as in audit records. */
  readonly createdBy: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  readonly lastUsedAt?: number;
}

export const scimTokens: Entity<Pick<ScimToken, 'hash'>, ScimToken> = {
  type: 'SCIM token',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'The SCIM token with this value', of: { hash: 'sha256(value)' } }],
  key: ({ hash }) => ({ pk: composeKey('SCIM', hash), sk: 'SCIM' }),
  store: toAttributes,
  load: loadAttributes,
};

type ScimTokenEntry = Pick<ScimToken, 'organizationId' | 'tokenId' | 'createdAt' | 'hash'>;

/** The token itself is stored once, under the hash of its value. */
export const scimTokensOfOrganization: Entity<ScimTokenEntry, ScimTokenEntry> = {
  type: 'SCIM token, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'SCIM tokens of an organization' }],
  key: ({ organizationId, tokenId, createdAt }) => ({
    pk: composeKey('SCIMTOKENS', organizationId),
    sk: composeKey('TOKEN', encodeInstant(createdAt), tokenId),
  }),
  store: pick('organizationId', 'tokenId', 'createdAt', 'hash'),
  load: loadAttributes,
};

export const getScimTokensSpan = ({ organizationId }: Pick<ScimToken, 'organizationId'>) =>
  getPrefixSpan(composeKey('SCIMTOKENS', organizationId), composePrefix('TOKEN'));
