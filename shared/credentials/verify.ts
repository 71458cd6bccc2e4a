/**
 * §5.1 to §5.3 From a credential value to the caller it stands for. Every refusal of a well-formed value of one kind
 * costs the same reads. Store trouble is thrown on, never taken for a wrong credential.
 */
import type { ApiKey } from '../resources/api-key.ts';
import { type Membership, memberships } from '../resources/membership.ts';
import { type Organization, organizations } from '../resources/organization.ts';
import { isPermission } from '../resources/permissions.ts';
import type { PersonalToken } from '../resources/personal-token.ts';
import type { Administration } from '../services.ts';
import { lookup } from '../table/found.ts';
import { type AccessToken, AccessTokens, type Issuer, isAccessToken } from './access-token.ts';
import type { Caller } from './caller.ts';
import { noteUse } from './last-use.ts';
import { StoredCredentials } from './stored-credentials.ts';
import { hashToken, tokenKind } from './token.ts';

type Services = Pick<Administration, 'table' | 'now'>;

/** Remembers what never changes, the issuer's keys and whose a credential is: one per container. */
export class Verifier {
  readonly #stored = new StoredCredentials();
  readonly #accessTokens: AccessTokens | undefined;

  /** Without an issuer no access token is accepted. */
  constructor(issuer: Issuer | undefined) {
    this.#accessTokens = issuer && new AccessTokens(issuer);
  }

  /** `undefined` for every reason alike (§5.4: deliberately indistinguishable). */
  async verify(services: Services, value: string | undefined): Promise<Caller | undefined> {
    if (value === undefined) return undefined;
    if (isAccessToken(value)) return this.#callerOfAccessToken(services, value);
    const kind = tokenKind(value);
    if (kind === 'apiKey') return this.#callerOfKey(services, hashToken(value));
    return kind === 'personalToken' ? this.#callerOfPersonalToken(services, hashToken(value)) : undefined;
  }

  async #callerOfKey({ table }: Services, hash: string): Promise<Caller | undefined> {
    const { credential, organization } = await this.#stored.apiKey(table, hash);
    return credential && isActive(organization) ? callerOfKey(credential) : undefined;
  }

  async #callerOfPersonalToken(services: Services, hash: string): Promise<Caller | undefined> {
    const { credential, organization, membership } = await this.#stored.personalToken(services.table, hash);
    if (!credential || !isActive(organization) || !holds(credential, membership, services.now())) return undefined;
    await noteUse(services, credential);
    return callerOfPersonalToken(credential);
  }

  async #callerOfAccessToken({ table, now }: Services, value: string): Promise<Caller | undefined> {
    const token = await this.#accessTokens?.verify(value, now());
    if (!token) return undefined;
    const [ofOrganization, ofMembership] = [lookup(organizations, token), lookup(memberships, token)];
    const found = await table.getTogether([ofOrganization, ofMembership], { consistent: true });
    const membership = found.of(ofMembership);
    if (!isActive(found.of(ofOrganization)) || !membership || isOlder(token, membership)) return undefined;
    return callerOfAccessToken(token, membership);
  }
}

const isActive = (organization: Organization | undefined): boolean =>
  organization !== undefined && organization.deactivatedAt === undefined;

/** Tokens tell whole seconds: one made in the second in which its holder joined is not older. */
const isOlder = (token: AccessToken, { startedAt }: Membership): boolean => startedAt >= token.issuedAt + 1000;

/** §5.2 "When a token stops working": dead, expired, not a member, of an earlier membership, no Admin. */
const holds = (token: PersonalToken, membership: Membership | undefined, now: number): boolean =>
  token.revokedAt === undefined &&
  now <= token.validUntil &&
  membership !== undefined &&
  membership.startedAt <= token.createdAt &&
  membership.role === 'admin';

const callerOfKey = ({ organizationId, keyId, label, level }: ApiKey): Caller => ({
  kind: 'apiKey',
  organizationId,
  keyId,
  label,
  level,
});

const callerOfPersonalToken = ({ organizationId, tokenId, accountId, permissions }: PersonalToken): Caller => ({
  kind: 'personalToken',
  organizationId,
  tokenId,
  accountId,
  permissions,
});

const callerOfAccessToken = (token: AccessToken, { role }: Membership): Caller => ({
  kind: 'accessToken',
  organizationId: token.organizationId,
  tokenId: token.tokenId,
  accountId: token.accountId,
  clientId: token.clientId,
  permissions: token.scopes.filter(isPermission),
  role,
});
