/**
 * §5.1, §5.2 Reads a stored credential by its hash, together with the rows that decide whether the credential is valid.
 * These rows are never cached.
 */

import { type Lookup, type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { type ApiKey, apiKeys } from '#shared/model/organizations/api-key.ts';
import { type BuildCredential, buildCredentials } from '#shared/model/organizations/build-credential.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { type PersonalToken, personalTokens } from '#shared/model/organizations/personal-token.ts';
import { type TrustedRepository, trustedRepositories } from '#shared/model/organizations/trusted-repository.ts';
import { ACCESS_LIMITS } from './limits.ts';
import { isSameHash } from './token.ts';

export interface Owner {
  readonly organizationId: string;
  readonly accountId: string;
  readonly credentialId: string;
  /** The project of a credential that works in one project only. */
  readonly projectId?: string;
}

/** Its rows are looked up for an unknown credential, so that the refusal takes as long as that of a known one. */
const NOBODY: Owner = { organizationId: '-', accountId: '-', credentialId: '-' };

type RowsOfOwner = (owner: Owner) => readonly Lookup<unknown>[];

interface StoredCredential<Credential> {
  readonly credential: Credential | undefined;
  readonly organization: Organization | undefined;
  readonly owner: Owner;
  readonly also: AlsoResult;
}

interface CredentialQuery<Credential> {
  readonly hash: string;
  readonly credential: Lookup<Credential>;
  readonly ownerOf: (credential: Credential) => Owner;
  readonly rowsOf: RowsOfOwner;
  readonly alsoRowsOf: RowsOfOwner;
}

/**
 * Caches the owner of each credential, which never changes. The first request with a credential takes two round trips:
 * the credential, then the rows of its owner. Later requests read all rows in one round trip.
 */
export class StoredCredentials {
  readonly #ownerByHash = new Map<string, Owner>();

  async readApiKey(table: Table, hash: string, also: RowsOfOwner): Promise<StoredCredential<ApiKey>> {
    const { credential, owner, rows, alsoResult } = await this.#read(table, {
      hash,
      credential: makeLookup(apiKeys, { hash }),
      ownerOf: ({ organizationId, keyId }) => ({ ...NOBODY, organizationId, credentialId: keyId }),
      rowsOf: (caller) => [makeLookup(organizations, caller)],
      alsoRowsOf: also,
    });
    return { credential, organization: rows.of(makeLookup(organizations, owner)), owner, also: alsoResult };
  }

  /** All credentials of a repository are counted together: a job gets a new one each hour. */
  async readBuildCredential(
    table: Table,
    hash: string,
    also: RowsOfOwner,
  ): Promise<StoredCredential<BuildCredential> & { readonly trust: TrustedRepository | undefined }> {
    const lookupTrust = ({ organizationId, projectId = '-', credentialId: trustId }: Owner) =>
      makeLookup(trustedRepositories, { organizationId, projectId, trustId });
    const { credential, owner, rows, alsoResult } = await this.#read(table, {
      hash,
      credential: makeLookup(buildCredentials, { hash }),
      ownerOf: ({ organizationId, build: { projectId, origin } }) => ({
        ...NOBODY,
        organizationId,
        projectId,
        credentialId: origin.trustId,
      }),
      rowsOf: (caller) => [makeLookup(organizations, caller), lookupTrust(caller)],
      alsoRowsOf: also,
    });
    const organization = rows.of(makeLookup(organizations, owner));
    return { credential, organization, trust: rows.of(lookupTrust(owner)), owner, also: alsoResult };
  }

  async readPersonalToken(
    table: Table,
    hash: string,
    also: RowsOfOwner,
  ): Promise<StoredCredential<PersonalToken> & { readonly membership: Membership | undefined }> {
    const { credential, owner, rows, alsoResult } = await this.#read(table, {
      hash,
      credential: makeLookup(personalTokens, { hash }),
      ownerOf: ({ organizationId, accountId, tokenId }) => ({ organizationId, accountId, credentialId: tokenId }),
      rowsOf: (caller) => [makeLookup(organizations, caller), makeLookup(memberships, caller)],
      alsoRowsOf: also,
    });
    const organization = rows.of(makeLookup(organizations, owner));
    const membership = rows.of(makeLookup(memberships, owner));
    return { credential, organization, membership, owner, also: alsoResult };
  }

  async #read<Credential extends { readonly hash: string }>(table: Table, query: CredentialQuery<Credential>) {
    const { hash, rowsOf, alsoRowsOf } = query;
    const cachedOwner = this.#ownerByHash.get(hash);
    if (cachedOwner) {
      const required = [query.credential, ...rowsOf(cachedOwner)];
      const { rows, alsoResult } = await readWith(table, required, alsoRowsOf(cachedOwner));
      const { credential, owner } = readCredential(query, rows);
      const isSame = owner.organizationId === cachedOwner.organizationId && owner.accountId === cachedOwner.accountId;
      if (isSame) return { credential, owner, rows, alsoResult };
    }
    const { credential, owner } = readCredential(query, await readTogether(table, [query.credential]));
    if (this.#ownerByHash.size >= ACCESS_LIMITS.cachedOwners) this.#ownerByHash.clear();
    this.#ownerByHash.set(hash, owner);
    return { credential, owner, ...(await readWith(table, rowsOf(owner), alsoRowsOf(owner))) };
  }
}

function readCredential<Credential extends { readonly hash: string }>(
  query: CredentialQuery<Credential>,
  rows: LookupResult,
) {
  const storedCredential = rows.of(query.credential);
  const credential = storedCredential && isSameHash(storedCredential.hash, query.hash) ? storedCredential : undefined;
  return { credential, owner: credential ? query.ownerOf(credential) : NOBODY };
}

const readTogether = (table: Table, lookups: readonly Lookup<unknown>[]): Promise<LookupResult> =>
  table.getTogether(lookups, { consistent: true });

type Caller = Pick<Owner, 'organizationId' | 'credentialId'>;

/**
 * Further rows that are read in the same round trip as the rows that decide whether a credential is valid. If they
 * cannot be read, only they are missing.
 */
export interface AlsoRead {
  readonly rowsOf: (caller: Caller, now: number) => readonly Lookup<unknown>[];
  /** Called only for valid credentials, with the same time as `rowsOf`, so that both agree on which rows are needed. */
  readonly rememberRows: (caller: Caller, organization: Organization, result: AlsoResult, now: number) => void;
}

export type AlsoResult =
  | { readonly kind: 'read'; readonly rows: LookupResult }
  | { readonly kind: 'failed'; readonly error: unknown };

/** One row that must not be read refuses the whole batch, so the required rows are then read without the others. */
export async function readWith(table: Table, required: readonly Lookup<unknown>[], also: readonly Lookup<unknown>[]) {
  try {
    const rows = await readTogether(table, [...required, ...also]);
    return { rows, alsoResult: { kind: 'read', rows } as const };
  } catch (error) {
    if (also.length === 0) throw error;
    const rows = await readTogether(table, required);
    return { rows, alsoResult: { kind: 'failed', error } as const };
  }
}
