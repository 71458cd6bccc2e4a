/**
 * §5.3 Verifies OAuth 2.0 access tokens, which are JWTs (RFC 9068). A token names an organization (`org_id`) and a member
 * (`sub`). The member's role is re-read on every request.
 */
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { CoreServices } from '#shared/services.ts';
import { type KeyFinder, keysOf } from './issuer.ts';
import { ACCESS_LIMITS } from './limits.ts';
import { OwnKeys } from './own-keys.ts';

type Services = Pick<CoreServices, 'table' | 'now'>;

export interface AccessToken {
  readonly tokenId: string;
  readonly clientId: string;
  readonly organizationId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  /** The time of issue in milliseconds. Tokens carry whole seconds. */
  readonly issuedAt: number;
}

/** The resource that a token must be for (RFC 8707). */
export type TokenResource = 'api' | 'mcp';

export interface Issuer {
  readonly issuer: string;
  /** The origin of the API. A token for another resource is refused. */
  readonly audience: string;
  /** Whether this service issues the tokens. Then the keys are in the table. */
  readonly isOwn: boolean;
}

/** Only asymmetric algorithms are accepted: with a shared secret, every verifier could also issue tokens. */
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

/** Caches the issuer's keys. Each container has one instance. */
export class AccessTokens {
  readonly #trusted: Issuer;
  readonly #own = new OwnKeys();
  #keys: Promise<KeyFinder> | undefined;

  constructor(trusted: Issuer) {
    this.#trusted = trusted;
  }

  /** Returns `undefined` for an invalid token or one for another resource. Throws if the issuer does not answer. */
  async verify(services: Services, value: string, resource: TokenResource): Promise<AccessToken | undefined> {
    try {
      const { payload } = await jwtVerify(value, await this.#keysFor(services), {
        issuer: this.#trusted.issuer,
        audience: audienceOf(this.#trusted, resource),
        typ: 'at+jwt',
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        maxTokenAge: ACCESS_LIMITS.accessTokenSeconds,
        clockTolerance: ACCESS_LIMITS.clockToleranceSeconds,
        currentDate: new Date(services.now()),
      });
      return this.#accessTokenIn(payload);
    } catch (error) {
      if (isInvalidToken(error)) return undefined;
      await this.#forgetStaleKeys();
      throw error;
    }
  }

  async #keysFor(services: Services): Promise<JWTVerifyGetKey> {
    if (this.#trusted.isOwn) return this.#own.in(services);
    this.#keys ??= keysOf(this.#trusted.issuer);
    return this.#keys;
  }

  /** The next request fetches metadata and keys again. Fresh keys stay, so that an unknown key does not affect other tokens. */
  async #forgetStaleKeys(): Promise<void> {
    const keys = await this.#keys?.catch(() => undefined);
    if (!keys?.fresh) this.#keys = undefined;
  }

  #accessTokenIn({ aud, iat, jti, sub, client_id, org_id, scope }: JWTPayload): AccessToken | undefined {
    // A second audience could replay the token.
    if ([aud].flat().length !== 1) return undefined;
    // An issuer may break the types of `JWTPayload`.
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

/** §5.3 Each resource refuses the tokens of the other. */
const PATHS: Readonly<Record<TokenResource, string>> = { api: '', mcp: '/mcp' };
const audienceOf = ({ audience }: Issuer, resource: TokenResource): string => `${audience}${PATHS[resource]}`;

/** Control characters and surrogates must not reach logs, table keys and the gateway's context. */
const FORBIDDEN = /[\p{Cc}\p{Cs}]/u;
const isIdentifier = (claim: unknown): claim is string =>
  typeof claim === 'string' &&
  claim.length > 0 &&
  claim.length <= ACCESS_LIMITS.claimCharacters &&
  !FORBIDDEN.test(claim);

/** The `jose` codes for a faulty issuer. Its other codes mean an invalid token. */
const FAULTS: readonly unknown[] = ['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'];
const isInvalidToken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J') && !FAULTS.includes(error.code);

/** Recognizes a JWT by its form, before anything is read: three parts of base64url, the first an object. */
export const isAccessToken = (value: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(value);
