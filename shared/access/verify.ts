/**
 * §5.1 to §5.3 Authenticates a credential. Every refusal of a well-formed API key or personal token needs the same
 * database reads, so the response time does not reveal the reason for the refusal. Database errors are thrown and never
 * become a 401.
 */
import { makeLookup } from '#shared/engine/table/found.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { isScope } from '#shared/model/organizations/permissions.ts';
import { type PersonalToken, personalTokens } from '#shared/model/organizations/personal-token.ts';
import type { WithClock } from '#shared/services.ts';
import { type AccessToken, AccessTokens, type Issuer, isAccessToken, type TokenResource } from './access-token.ts';
import type { ApiActor } from './actor.ts';
import { ACCESS_LIMITS } from './limits.ts';
import { type AlsoRead, type Owner, readWith, StoredCredentials } from './stored-credentials.ts';
import { findTokenKind, hashToken } from './token.ts';

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
    if (isAccessToken(value)) return this.#verifyAccessToken(services, value, { resource, alsoRead });
    const kind = findTokenKind(value);
    if (kind === 'apiKey') return this.#verifyKey(services, hashToken(value), alsoRead);
    if (kind === 'buildCredential') return this.#verifyBuildCredential(services, hashToken(value), alsoRead);
    if (kind !== 'personalToken') return undefined;
    return this.#verifyPersonalToken(services, hashToken(value), { recordsUse, alsoRead });
  }

  async #verifyKey({ table, now }: WithClock, hash: string, alsoRead: AlsoRead): Promise<ApiActor | undefined> {
    const at = now();
    const alsoRowsOf = (owner: Owner) => alsoRead.rowsOf(owner, at);
    const { credential, organization, owner, also } = await this.#stored.readApiKey(table, hash, alsoRowsOf);
    if (!credential || !isActive(organization)) return undefined;
    alsoRead.rememberRows(owner, organization, also, at);
    const { organizationId, keyId, label, level } = credential;
    return { kind: 'apiKey', organizationId, keyId, label, level };
  }

  /** The table treats the row of an expired credential as absent. */
  async #verifyBuildCredential(
    { table, now }: WithClock,
    hash: string,
    alsoRead: AlsoRead,
  ): Promise<ApiActor | undefined> {
    const at = now();
    const alsoRowsOf = (owner: Owner) => alsoRead.rowsOf(owner, at);
    const { credential, organization, trust, owner, also } = await this.#stored.readBuildCredential(
      table,
      hash,
      alsoRowsOf,
    );
    if (!credential || !isActive(organization) || !trust) return undefined;
    alsoRead.rememberRows(owner, organization, also, at);
    const { organizationId, build } = credential;
    const { trustId: keyId, repository: label } = build.origin;
    return { kind: 'apiKey', organizationId, keyId, label, level: 'readWrite', build };
  }

  async #verifyPersonalToken(
    services: WithClock,
    hash: string,
    { recordsUse, alsoRead }: Pick<Required<Options>, 'recordsUse' | 'alsoRead'>,
  ): Promise<ApiActor | undefined> {
    const { table, now } = services;
    const at = now();
    const alsoRowsOf = (owner: Owner) => alsoRead.rowsOf(owner, at);
    const stored = await this.#stored.readPersonalToken(table, hash, alsoRowsOf);
    const { credential, organization, membership, owner, also } = stored;
    if (!credential || !isActive(organization) || !isValid(credential, membership, now())) return undefined;
    if (recordsUse) await recordUse(services, credential);
    alsoRead.rememberRows(owner, organization, also, at);
    const { organizationId, tokenId, accountId, permissions } = credential;
    return { kind: 'personalToken', organizationId, tokenId, accountId, permissions };
  }

  async #verifyAccessToken(
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
    alsoRead.rememberRows(caller, organization, alsoResult, at);
    const { organizationId, tokenId, accountId, clientId, scopes } = token;
    const permissions = scopes.filter(isScope);
    return { kind: 'accessToken', organizationId, tokenId, accountId, clientId, permissions, role: membership.role };
  }
}

const NOTHING_ELSE: AlsoRead = { rowsOf: () => [], rememberRows: () => undefined };

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
