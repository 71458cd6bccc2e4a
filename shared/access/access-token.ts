/**
 * §5.3 Verifies OAuth 2.0 access tokens, which are JWTs (RFC 9068). A token names an organization (`org_id`) and a
 * member (`sub`). The member's role is read anew on every request.
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
  /** Time of issue in epoch milliseconds, with the precision of seconds, as in the token. */
  readonly issuedAt: number;
}

/** The resource that a token is issued for (RFC 8707). */
export type TokenResource = 'api' | 'mcp';

export interface Issuer {
  readonly issuer: string;
  /** The origin of the API. Tokens for other audiences are refused. */
  readonly audience: string;
  /** Whether this service issues the tokens itself. If so, its public keys are in the table. */
  readonly isOwn: boolean;
}

/**
 * The accepted signature algorithms. All are asymmetric: with a shared secret, every verifier could also issue tokens.
 */
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

/** Caches the issuer's keys. One object per Lambda container. */
export class AccessTokens {
  readonly #trusted: Issuer;
  readonly #own = new OwnKeys();
  #keys: Promise<KeyFinder> | undefined;

  constructor(trusted: Issuer) {
    this.#trusted = trusted;
  }

  /**
   * Returns `undefined` for an invalid token or one for another resource. Throws if the issuer's keys cannot be
   * fetched.
   */
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

  /**
   * Makes the next request fetch metadata and keys again. Fresh keys are kept, so a token with an unknown key does not
   * slow down the others.
   */
  async #forgetStaleKeys(): Promise<void> {
    const keys = await this.#keys?.catch(() => undefined);
    if (!keys?.fresh) this.#keys = undefined;
  }

  #accessTokenIn({ aud, iat, jti, sub, client_id, org_id, scope }: JWTPayload): AccessToken | undefined {
    // With several audiences, another resource could replay the token.
    if ([aud].flat().length !== 1) return undefined;
    // `JWTPayload` is only a type. An issuer may send anything.
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

/** §5.3 The path of each resource. Each resource refuses the tokens of the other. */
const PATHS: Readonly<Record<TokenResource, string>> = { api: '', mcp: '/mcp' };
const audienceOf = ({ audience }: Issuer, resource: TokenResource): string => `${audience}${PATHS[resource]}`;

/**
 * Characters that an identifier must not contain. Control characters and surrogates must not reach logs, table keys or
 * the authorizer's context.
 */
const FORBIDDEN = /[\p{Cc}\p{Cs}]/u;
const isIdentifier = (claim: unknown): claim is string =>
  typeof claim === 'string' &&
  claim.length > 0 &&
  claim.length <= ACCESS_LIMITS.claimCharacters &&
  !FORBIDDEN.test(claim);

/** The error codes of `jose` that mean a faulty issuer. All its other codes mean an invalid token. */
const FAULTS: readonly unknown[] = ['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'];
const isInvalidToken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J') && !FAULTS.includes(error.code);

/** Recognizes a JWT by its shape alone: three base64url parts, the first of which starts like a JSON object. */
export const isAccessToken = (value: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(value);
