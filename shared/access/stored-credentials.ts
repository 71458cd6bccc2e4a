/**
 * §5.1, §5.2 Reads a stored credential by its hash, together with the rows that decide whether it is valid. Rows are
 * never cached.
 */

import { type Found, type Lookup, lookup } from '#shared/engine/table/found.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { type ApiKey, apiKeys } from '#shared/model/organizations/api-key.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { type PersonalToken, personalTokens } from '#shared/model/organizations/personal-token.ts';
import { ACCESS_LIMITS } from './limits.ts';
import { sameHash } from './token.ts';

interface Owner {
  readonly organizationId: string;
  readonly accountId: string;
}

/** Ids that do not exist, read for unknown credentials so that they take as long as known ones. */
const NOBODY: Owner = { organizationId: '-', accountId: '-' };

interface StoredCredential<Credential> {
  readonly credential: Credential | undefined;
  readonly organization: Organization | undefined;
}

interface CredentialQuery<Credential> {
  readonly hash: string;
  readonly credential: Lookup<Credential>;
  readonly ownerOf: (credential: Credential) => Owner;
  readonly rowsOf: (owner: Owner) => readonly Lookup<unknown>[];
}

/**
 * Caches the owner of a credential, which never changes. The first request takes two round trips: the credential, then
 * the rows of its owner. Later requests read all rows in one.
 */
export class StoredCredentials {
  readonly #ownerByHash = new Map<string, Owner>();

  async apiKey(table: Table, hash: string): Promise<StoredCredential<ApiKey>> {
    const { credential, owner, found } = await this.#read(table, {
      hash,
      credential: lookup(apiKeys, { hash }),
      ownerOf: ({ organizationId }) => ({ ...NOBODY, organizationId }),
      rowsOf: (of) => [lookup(organizations, of)],
    });
    return { credential, organization: found.of(lookup(organizations, owner)) };
  }

  async personalToken(
    table: Table,
    hash: string,
  ): Promise<StoredCredential<PersonalToken> & { readonly membership: Membership | undefined }> {
    const { credential, owner, found } = await this.#read(table, {
      hash,
      credential: lookup(personalTokens, { hash }),
      ownerOf: ({ organizationId, accountId }) => ({ organizationId, accountId }),
      rowsOf: (of) => [lookup(organizations, of), lookup(memberships, of)],
    });
    const organization = found.of(lookup(organizations, owner));
    return { credential, organization, membership: found.of(lookup(memberships, owner)) };
  }

  async #read<Credential extends { readonly hash: string }>(table: Table, query: CredentialQuery<Credential>) {
    const { hash, rowsOf } = query;
    const cached = this.#ownerByHash.get(hash);
    if (cached) {
      const found = await together(table, [query.credential, ...rowsOf(cached)]);
      const { credential, owner } = readCredential(query, found);
      if (isSame(owner, cached)) return { credential, owner, found };
    }
    const { credential, owner } = readCredential(query, await together(table, [query.credential]));
    this.#cache(hash, owner);
    return { credential, owner, found: await together(table, rowsOf(owner)) };
  }

  #cache(hash: string, owner: Owner): void {
    if (this.#ownerByHash.size >= ACCESS_LIMITS.cachedOwners) this.#ownerByHash.clear();
    this.#ownerByHash.set(hash, owner);
  }
}

function readCredential<Credential extends { readonly hash: string }>(
  query: CredentialQuery<Credential>,
  found: Found,
) {
  const stored = found.of(query.credential);
  const credential = stored && sameHash(stored.hash, query.hash) ? stored : undefined;
  return { credential, owner: credential ? query.ownerOf(credential) : NOBODY };
}

const together = (table: Table, rows: readonly Lookup<unknown>[]): Promise<Found> =>
  table.getTogether(rows, { consistent: true });

const isSame = (one: Owner, other: Owner): boolean =>
  one.organizationId === other.organizationId && one.accountId === other.accountId;
