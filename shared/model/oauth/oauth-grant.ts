/** §5.3 The permissions that a person gave to an application. Exchanges and renewals fail once it is deleted. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import { type Delete, remove } from '#shared/engine/table/writes.ts';

export interface Grant {
  /** SHA-256 of the id of the grant, in hex. The hash is the public id. */
  readonly hash: string;
  readonly accountId: string;
  readonly organizationId: string;
  readonly clientId: string;
  /** JSON, as the authorization server wrote it. */
  readonly payload: string;
  /** Time of consent, in epoch milliseconds. */
  readonly createdAt: number;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const grants: Entity<Pick<Grant, 'hash'>, Grant> = {
  type: 'OAuth grant',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'The OAuth grant with this id', of: { hash: 'sha256(id)' } }],
  key: ({ hash }) => ({ pk: composeKey('GRANT', hash), sk: 'GRANT' }),
  store: toAttributes,
  load: loadAttributes,
};

export interface ListedGrant extends Omit<Grant, 'payload'> {
  /** The name that the client gives itself. */
  readonly clientName?: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Time of the last renewal, in epoch milliseconds. */
  readonly renewedAt?: number;
}

type ListedKey = Pick<ListedGrant, 'accountId' | 'organizationId' | 'createdAt' | 'hash'>;

export const grantsOfAccount: Entity<ListedKey, ListedGrant> = {
  type: 'OAuth grant, listed',
  guarded: true,
  removal: 'apart',
  patterns: [
    { question: 'OAuth grants of an account', of: { hash: 'grant' } },
    { question: 'OAuth grants of an account in an organization', begins: 'GRANT#org#' },
  ],
  key: ({ accountId, organizationId, createdAt, hash }) => ({
    pk: composeKey('GRANTS', accountId),
    sk: composeKey('GRANT', organizationId, encodeInstant(createdAt), hash),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getGrantsSpan = ({ accountId }: Pick<Grant, 'accountId'>) =>
  getPrefixSpan(composeKey('GRANTS', accountId), composePrefix('GRANT'));

export const getOrganizationGrantsSpan = ({ accountId, organizationId }: Pick<Grant, 'accountId' | 'organizationId'>) =>
  getPrefixSpan(composeKey('GRANTS', accountId), composePrefix('GRANT', organizationId));

export const removeGrant = (grant: ListedKey): Delete[] => [remove(grants, grant), remove(grantsOfAccount, grant)];
