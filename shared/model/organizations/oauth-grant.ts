/**
 * §5.3 A grant: the permissions that a person gave to an application. The grant is read at every exchange of a code and
 * every renewal of a token, so both fail once the grant is deleted. Access patterns: by the hash of its id; all grants
 * of an account; all grants of an account in an organization.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
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
  patterns: [{ question: 'The OAuth grant with this id', key: 'pk = GRANT#sha256(id), sk = GRANT' }],
  key: ({ hash }) => ({ pk: composed('GRANT', hash), sk: 'GRANT' }),
  store: attributesOf,
  load: stored,
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
    { question: 'OAuth grants of an account', key: 'pk = GRANTS#account, sk = GRANT#org#createdAt#grant' },
    {
      question: 'OAuth grants of an account in an organization',
      key: 'pk = GRANTS#account, sk begins with GRANT#org#',
    },
  ],
  key: ({ accountId, organizationId, createdAt, hash }) => ({
    pk: composed('GRANTS', accountId),
    sk: composed('GRANT', organizationId, instantKey(createdAt), hash),
  }),
  store: attributesOf,
  load: stored,
};

export const grantsSpan = ({ accountId }: Pick<Grant, 'accountId'>) =>
  beginningWith(composed('GRANTS', accountId), prefix('GRANT'));

export const grantsOfOrganizationSpan = ({ accountId, organizationId }: Pick<Grant, 'accountId' | 'organizationId'>) =>
  beginningWith(composed('GRANTS', accountId), prefix('GRANT', organizationId));

/** Deletes a grant and its list entry. */
export const removeGrant = (grant: ListedKey): Delete[] => [remove(grants, grant), remove(grantsOfAccount, grant)];
