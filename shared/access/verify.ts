/**
 * §5.1 to §5.3 Authenticates a credential. Every refusal of a well-formed API key or personal token needs the same
 * database reads, so the response time does not reveal the reason for the refusal. Database errors are thrown and never
 * become a 401.
 */
import { type Lookup, type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { type ApiKey, apiKeys } from '#shared/model/organizations/api-key.ts';
import { type BuildCredential, buildCredentials } from '#shared/model/organizations/build-credential.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { isScope } from '#shared/model/organizations/permissions.ts';
import { type PersonalToken, personalTokens } from '#shared/model/organizations/personal-token.ts';
import { type TrustedRepository, trustedRepositories } from '#shared/model/organizations/trusted-repository.ts';
import type { WithClock } from '#shared/services.ts';
import { type AccessToken, AccessTokens, type Issuer, isAccessToken, type TokenResource } from './access-token.ts';
import type { ApiActor } from './actor.ts';
import { ACCESS_LIMITS } from './limits.ts';
import { findTokenKind, hashToken, isSameHash } from './token.ts';

// §5.1, §5.2 Reads a stored credential by its hash, together with the rows that decide whether the credential is valid.
// These rows are never cached.

interface Owner {
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
class StoredCredentials {
  readonly #ownerByHash = new Map<string, Owner>();

  async apiKey(table: Table, hash: string, also: RowsOfOwner): Promise<StoredCredential<ApiKey>> {
    const { credential, owner, rows, alsoResult } = await this.#read(table, {
      hash,
      credential: makeLookup(apiKeys, { hash }),
      ownerOf: ({ organizationId, keyId }) => ({ ...NOBODY, organizationId, credentialId: keyId }),
      rowsOf: (of) => [makeLookup(organizations, of)],
      alsoRowsOf: also,
    });
    return { credential, organization: rows.of(makeLookup(organizations, owner)), owner, also: alsoResult };
  }

  /** All credentials of a repository are counted together: a job gets a new one each hour. */
  async buildCredential(
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
      rowsOf: (of) => [makeLookup(organizations, of), lookupTrust(of)],
      alsoRowsOf: also,
    });
    const organization = rows.of(makeLookup(organizations, owner));
    return { credential, organization, trust: rows.of(lookupTrust(owner)), owner, also: alsoResult };
  }

  async personalToken(
    table: Table,
    hash: string,
    also: RowsOfOwner,
  ): Promise<StoredCredential<PersonalToken> & { readonly membership: Membership | undefined }> {
    const { credential, owner, rows, alsoResult } = await this.#read(table, {
      hash,
      credential: makeLookup(personalTokens, { hash }),
      ownerOf: ({ organizationId, accountId, tokenId }) => ({ organizationId, accountId, credentialId: tokenId }),
      rowsOf: (of) => [makeLookup(organizations, of), makeLookup(memberships, of)],
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
  readonly take: (caller: Caller, organization: Organization, result: AlsoResult, now: number) => void;
}

export type AlsoResult =
  | { readonly kind: 'read'; readonly rows: LookupResult }
  | { readonly kind: 'failed'; readonly error: unknown };

/** One row that must not be read refuses the whole batch, so the required rows are then read without the others. */
async function readWith(table: Table, required: readonly Lookup<unknown>[], also: readonly Lookup<unknown>[]) {
  try {
    const rows = await readTogether(table, [...required, ...also]);
    return { rows, alsoResult: { kind: 'read', rows } as const };
  } catch (error) {
    if (also.length === 0) throw error;
    const rows = await readTogether(table, required);
    return { rows, alsoResult: { kind: 'failed', error } as const };
  }
}

interface Options {
  /** Whether to record the last use of a personal token. This requires an IAM role that may write tokens. */
  readonly recordsUse?: boolean;
  /** Only access tokens are issued for a resource. API keys and personal tokens work for all. */
  readonly resource?: TokenResource;
  readonly alsoRead?: AlsoRead;
}

/** Caches the issuer's keys and the owners of credentials. Each Lambda container has one instance. */
export class Verifier {
  readonly #stored = new StoredCredentials();
  readonly #accessTokens: AccessTokens;

  constructor(issuer: Issuer) {
    this.#accessTokens = new AccessTokens(issuer);
  }

  /** §5.4 Returns `undefined` for every invalid credential, so that clients cannot tell the reasons apart. */
  async verify(
    services: WithClock,
    value: string | undefined,
    { recordsUse = true, resource = 'api', alsoRead = NOTHING_ELSE }: Options = {},
  ): Promise<ApiActor | undefined> {
    if (value === undefined) return undefined;
    if (isAccessToken(value)) return this.#actorOfAccessToken(services, value, { resource, alsoRead });
    const kind = findTokenKind(value);
    if (kind === 'apiKey') return this.#actorOfKey(services, hashToken(value), alsoRead);
    if (kind === 'buildCredential') return this.#actorOfBuild(services, hashToken(value), alsoRead);
    if (kind !== 'personalToken') return undefined;
    return this.#actorOfPersonalToken(services, hashToken(value), { recordsUse, alsoRead });
  }

  async #actorOfKey({ table, now }: WithClock, hash: string, alsoRead: AlsoRead): Promise<ApiActor | undefined> {
    const at = now();
    const alsoRowsOf = (owner: Owner) => alsoRead.rowsOf(owner, at);
    const { credential, organization, owner, also } = await this.#stored.apiKey(table, hash, alsoRowsOf);
    if (!credential || !isActive(organization)) return undefined;
    alsoRead.take(owner, organization, also, at);
    const { organizationId, keyId, label, level } = credential;
    return { kind: 'apiKey', organizationId, keyId, label, level };
  }

  /** The table treats the row of an expired credential as absent. */
  async #actorOfBuild({ table, now }: WithClock, hash: string, alsoRead: AlsoRead): Promise<ApiActor | undefined> {
    const at = now();
    const alsoRowsOf = (owner: Owner) => alsoRead.rowsOf(owner, at);
    const { credential, organization, trust, owner, also } = await this.#stored.buildCredential(
      table,
      hash,
      alsoRowsOf,
    );
    if (!credential || !isActive(organization) || !trust) return undefined;
    alsoRead.take(owner, organization, also, at);
    const { organizationId, build } = credential;
    const { trustId: keyId, repository: label } = build.origin;
    return { kind: 'apiKey', organizationId, keyId, label, level: 'readWrite', build };
  }

  async #actorOfPersonalToken(
    services: WithClock,
    hash: string,
    { recordsUse, alsoRead }: Pick<Required<Options>, 'recordsUse' | 'alsoRead'>,
  ): Promise<ApiActor | undefined> {
    const { table, now } = services;
    const at = now();
    const alsoRowsOf = (owner: Owner) => alsoRead.rowsOf(owner, at);
    const stored = await this.#stored.personalToken(table, hash, alsoRowsOf);
    const { credential, organization, membership, owner, also } = stored;
    if (!credential || !isActive(organization) || !isValid(credential, membership, now())) return undefined;
    if (recordsUse) await recordUse(services, credential);
    alsoRead.take(owner, organization, also, at);
    const { organizationId, tokenId, accountId, permissions } = credential;
    return { kind: 'personalToken', organizationId, tokenId, accountId, permissions };
  }

  async #actorOfAccessToken(
    services: WithClock,
    value: string,
    { resource, alsoRead }: Pick<Required<Options>, 'resource' | 'alsoRead'>,
  ): Promise<ApiActor | undefined> {
    const { table, now } = services;
    const token = await this.#accessTokens.verify(services, value, resource);
    if (!token) return undefined;
    const organizationLookup = makeLookup(organizations, token);
    const membershipLookup = makeLookup(memberships, token);
    const caller = { organizationId: token.organizationId, credentialId: token.accountId };
    const at = now();
    const required = [organizationLookup, membershipLookup];
    const { rows, alsoResult } = await readWith(table, required, alsoRead.rowsOf(caller, at));
    const membership = rows.of(membershipLookup);
    const organization = rows.of(organizationLookup);
    if (!isActive(organization) || !membership || isOlder(token, membership)) return undefined;
    alsoRead.take(caller, organization, alsoResult, at);
    const { organizationId, tokenId, accountId, clientId, scopes } = token;
    const permissions = scopes.filter(isScope);
    return { kind: 'accessToken', organizationId, tokenId, accountId, clientId, permissions, role: membership.role };
  }
}

const NOTHING_ELSE: AlsoRead = { rowsOf: () => [], take: () => undefined };

const isActive = (organization: Organization | undefined): organization is Organization =>
  organization !== undefined && organization.deactivatedAt === undefined;

/** Tokens store whole seconds, so one from the second in which the membership started counts as issued later. */
const isOlder = (token: AccessToken, { startedAt }: Membership): boolean => startedAt >= token.issuedAt + 1000;

/** §5.2 "When a token stops working": also if its owner left the organization, rejoined it, or is not an Admin. */
const isValid = (token: PersonalToken, membership: Membership | undefined, now: number): boolean =>
  token.revokedAt === undefined &&
  now <= token.validUntil &&
  membership !== undefined &&
  membership.startedAt <= token.createdAt &&
  membership.role === 'admin';

/** §5.2 Writes at most once per interval, except that concurrent requests may each write. */
export async function recordUse({ table, now }: WithClock, token: PersonalToken): Promise<void> {
  const due = now() - ACCESS_LIMITS.lastUseMilliseconds;
  if ((token.lastUsedAt ?? 0) > due) return;
  // Conditional write: an unconditional update would recreate a token that was just deleted.
  await table.update(personalTokens, token, { set: [['lastUsedAt', now()]] }, { present: 'pk' });
}
