/**
 * §5.3 Verifies OAuth 2.0 access tokens, which are JWTs (RFC 9068). A token names an organization (`org_id`) and a
 * member (`sub`). The member's role is read again on every request.
 */
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { WithClock } from '#shared/services.ts';
import { type KeyFinder, makeKeyFinder } from './external-keys.ts';
import { ACCESS_LIMITS } from './limits.ts';
import { OwnKeys } from './own-keys.ts';

export interface AccessToken {
  readonly tokenId: string;
  readonly clientId: string;
  readonly organizationId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  /** Time of issue in epoch milliseconds. Its precision is one second, as in the token. */
  readonly issuedAt: number;
}

/** The resource that a token is issued for (RFC 8707). */
export type TokenResource = 'api' | 'mcp';

export interface Issuer {
  readonly issuer: string;
  /** The origin of the API, which is the audience of its tokens. Tokens for MCP have `/mcp` appended. */
  readonly audience: string;
  /** Whether this service issues the tokens itself. If so, its public keys are in the database table. */
  readonly isOwn: boolean;
}

/** All are asymmetric: with a shared secret, every verifier could also issue tokens. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Verifies access tokens and caches the issuer's keys. Each Lambda container has one instance. */
export class AccessTokens {
  readonly #trusted: Issuer;
  readonly #own = new OwnKeys();
  #external: Promise<KeyFinder> | undefined;

  constructor(issuer: Issuer) {
    this.#trusted = issuer;
  }

  /** Returns `undefined` for a token that is invalid or for another resource. Throws if no keys can be fetched. */
  async verify(services: WithClock, value: string, resource: TokenResource): Promise<AccessToken | undefined> {
    try {
      const { payload } = await jwtVerify(value, await this.#getKeys(services), {
        issuer: this.#trusted.issuer,
        audience: `${this.#trusted.audience}${PATHS[resource]}`,
        typ: 'at+jwt',
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        maxTokenAge: ACCESS_LIMITS.accessTokenSeconds,
        clockTolerance: ACCESS_LIMITS.clockToleranceSeconds,
        currentDate: new Date(services.now()),
      });
      return this.#readClaims(payload);
    } catch (error) {
      if (isInvalidToken(error)) return undefined;
      await this.#forgetStaleKeys();
      throw error;
    }
  }

  async #getKeys(services: WithClock): Promise<JWTVerifyGetKey> {
    if (this.#trusted.isOwn) return this.#own.makeKeyGetter(services);
    this.#external ??= makeKeyFinder(this.#trusted.issuer);
    return this.#external;
  }

  /** The next request fetches keys again. While the cached ones are fresh, unknown ones do not slow it down. */
  async #forgetStaleKeys(): Promise<void> {
    const keys = await this.#external?.catch(() => undefined);
    if (!keys?.fresh) this.#external = undefined;
  }

  #readClaims({ aud, iat, jti, sub, client_id, org_id, scope }: JWTPayload): AccessToken | undefined {
    // A token for several audiences is refused, because each service in the audience could reuse the token to call this
    // API.
    if ([aud].flat().length !== 1) return undefined;
    // `JWTPayload` is only a TypeScript type. An issuer may send any values.
    if (!isIdentifier(client_id) || !isIdentifier(org_id) || !isIdentifier(sub) || !isIdentifier(jti)) return undefined;
    if (typeof scope !== 'string' || iat === undefined) return undefined;
    return {
      tokenId: jti,
      clientId: client_id,
      organizationId: org_id,
      accountId: sub,
      scopes: scope.split(' '),
      issuedAt: iat * 1000,
    };
  }
}

/** §5.3 The URL path of each resource. Each resource refuses tokens issued for the other resource. */
const PATHS: Readonly<Record<TokenResource, string>> = { api: '', mcp: '/mcp' };

/** Control characters and surrogates must not reach logs, table keys or the authorizer's context. */
const FORBIDDEN = /[\p{Cc}\p{Cs}]/u;
const isIdentifier = (claim: unknown): claim is string =>
  typeof claim === 'string' &&
  claim.length > 0 &&
  claim.length <= ACCESS_LIMITS.claimCharacters &&
  !FORBIDDEN.test(claim);

/** The codes of `jose` that mean a fault of the issuer. All its other codes mean an invalid token. */
const FAULTS: readonly unknown[] = ['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'];
const isInvalidToken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J') && !FAULTS.includes(error.code);

/** Recognizes a JWT by its shape alone: three base64url parts, the first of which starts like a JSON object. */
export const isAccessToken = (value: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(value);
