/** §5.2 A personal access token, stored under the hash of its value. */

import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import type { Permission } from './permissions.ts';

export interface PersonalToken {
  /** SHA-256 of the value, in hex. */
  readonly hash: string;
  readonly tokenId: string;
  readonly organizationId: string;
  /** The account that owns the token. Requests with the token act as this account. */
  readonly accountId: string;
  readonly name: string;
  readonly description: string | null;
  readonly permissions: readonly Permission[];
  readonly lastFour: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  /** Expiry in epoch milliseconds, at the end of the last day on which the token is valid. */
  readonly validUntil: number;
  readonly lastUsedAt?: number;
  readonly revokedAt?: number;
}

export const personalTokens: Entity<Pick<PersonalToken, 'hash'>, PersonalToken> = {
  type: 'personal token',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'The personal token with this value', of: { hash: 'sha256(value)' } }],
  key: ({ hash }) => ({ pk: composeKey('TOKEN', hash), sk: 'TOKEN' }),
  store: toAttributes,
  load: loadAttributes,
};

export const UNREVOKED: Condition = { all: [{ present: 'pk' }, { absent: 'revokedAt' }] };

type PersonalTokenEntry = Pick<PersonalToken, 'organizationId' | 'tokenId' | 'createdAt' | 'hash'>;

/** The token itself is stored once, under the hash of its value. */
export const tokensOfOrganization: Entity<PersonalTokenEntry, PersonalTokenEntry> = {
  type: 'personal token, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Personal tokens of an organization' }],
  key: ({ organizationId, tokenId, createdAt }) => ({
    pk: composeKey('TOKENS', organizationId),
    sk: composeKey('TOKEN', encodeInstant(createdAt), tokenId),
  }),
  store: pick('organizationId', 'tokenId', 'createdAt', 'hash'),
  load: loadAttributes,
};

export const getTokensSpan = ({ organizationId }: Pick<PersonalToken, 'organizationId'>) =>
  getPrefixSpan(composeKey('TOKENS', organizationId), composePrefix('TOKEN'));
