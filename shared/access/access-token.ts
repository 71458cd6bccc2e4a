/**
 * §5.3 Verifies OAuth 2.0 access tokens, which are JWTs (RFC 9068). A token names an organization (`org_id`) and a
 * member (`sub`). The member's role is read again on every request.
 */

import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { issuerKeys } from '#shared/model/organizations/issuer-keys.ts';
import type { WithClock } from '#shared/services.ts';
import { issuerUnavailable } from './errors.ts';
import { ACCESS_LIMITS } from './limits.ts';

// §5.3 Reads the public keys of our own authorization server from the table row in which it stores them.

/**
 * Caches the public keys. An unknown key id causes another read, but at most one per `issuerPauseMilliseconds`, so
 * forged key ids cost little.
 */
class OwnKeys {
  #keys: ReadonlyMap<string, KeyObject> = new Map();
  #readAt = 0;

  in(services: WithClock): JWTVerifyGetKey {
    return async ({ kid = '' }) => {
      const age = services.now() - this.#readAt;
      const { issuerKeysMilliseconds, issuerPauseMilliseconds } = ACCESS_LIMITS;
      if (age >= (this.#keys.has(kid) ? issuerKeysMilliseconds : issuerPauseMilliseconds)) await this.#read(services);
      const key = this.#keys.get(kid);
      if (!key) throw new errors.JWKSNoMatchingKey();
      return key;
    };
  }

  async #read({ table, now }: WithClock): Promise<void> {
    const row = await table.get(issuerKeys, {}, { consistent: true });
    this.#readAt = now();
    this.#keys = new Map(
      (row?.keys ?? []).map(({ kid, x, y }) => [
        kid,
        createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' }),
      ]),
    );
  }
}

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
  /**
   * The origin of the API. Tokens for the API have this audience, and tokens for MCP have it with `/mcp` appended.
   * Tokens with any other audience are refused.
   */
  readonly audience: string;
  /** Whether this service issues the tokens itself. If so, its public keys are in the database table. */
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

/** Verifies access tokens and caches the issuer's keys. Each Lambda container has one instance. */
export class AccessTokens {
  readonly #trusted: Issuer;
  readonly #own = new OwnKeys();
  #keys: Promise<KeyFinder> | undefined;

  constructor(trusted: Issuer) {
    this.#trusted = trusted;
  }

  /**
   * Returns `undefined` for an invalid token or a token for another resource. Throws if the issuer's keys cannot be
   * fetched.
   */
  async verify(services: WithClock, value: string, resource: TokenResource): Promise<AccessToken | undefined> {
    try {
      const { payload } = await jwtVerify(value, await this.#keysFor(services), {
        issuer: this.#trusted.issuer,
        audience: `${this.#trusted.audience}${PATHS[resource]}`,
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

  async #keysFor(services: WithClock): Promise<JWTVerifyGetKey> {
    if (this.#trusted.isOwn) return this.#own.in(services);
    this.#keys ??= keysOf(this.#trusted.issuer);
    return this.#keys;
  }

  /**
   * Makes the next request fetch metadata and keys again, unless the cached keys are still fresh. A token with an
   * unknown key therefore does not slow down requests with valid tokens.
   */
  async #forgetStaleKeys(): Promise<void> {
    const keys = await this.#keys?.catch(() => undefined);
    if (!keys?.fresh) this.#keys = undefined;
  }

  #accessTokenIn({ aud, iat, jti, sub, client_id, org_id, scope }: JWTPayload): AccessToken | undefined {
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

/**
 * The error codes with which the library `jose` reports a fault of the issuer. All its other codes mean an invalid
 * token.
 */
const FAULTS: readonly unknown[] = ['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'];
const isInvalidToken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_J') && !FAULTS.includes(error.code);

/** Recognizes a JWT by its shape alone: three base64url parts, the first of which starts like a JSON object. */
export const isAccessToken = (value: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(value);

// §5.3 Fetches the keys of an external authorization server, with limits on time and size.

/**
 * A function that finds the public key named in the header of a token. The property `fresh` of the function says
 * whether the cached keys are still valid.
 */
type KeyFinder = ReturnType<typeof createRemoteJWKSet>;

/**
 * Finds the issuer's keys through its metadata. Throws if the issuer does not respond, or serves no valid metadata as
 * defined by RFC 8414 or OpenID Connect Discovery.
 */
async function keysOf(issuer: string): Promise<KeyFinder> {
  return createRemoteJWKSet(await keysUrlOf(issuer), {
    [customFetch]: boundedFetch,
    timeoutDuration: ACCESS_LIMITS.issuerMilliseconds,
    cacheMaxAge: ACCESS_LIMITS.issuerKeysMilliseconds,
    cooldownDuration: ACCESS_LIMITS.issuerPauseMilliseconds,
  });
}

async function keysUrlOf(issuer: string): Promise<URL> {
  for (const url of metadataUrlsOf(issuer)) {
    const signal = AbortSignal.timeout(ACCESS_LIMITS.issuerMilliseconds);
    const answer = await boundedFetch(url.href, { signal, redirect: 'manual', method: 'GET', headers: new Headers() });
    if (answer.status === 404) continue;
    return keysUrlIn(await answer.json(), issuer);
  }
  throw issuerUnavailable(issuer, 'has no metadata document');
}

/**
 * The URLs at which the issuer may publish its metadata. RFC 8414 section 3.1 appends the path of the issuer to the
 * well-known path, and OpenID Connect Discovery section 4 puts it before the well-known path.
 */
function metadataUrlsOf(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
    new URL(`${origin}${path}/.well-known/openid-configuration`),
  ];
}

/**
 * Returns the URL of the keys from the metadata. RFC 8414 section 3.3: a document that names another issuer must not be
 * used.
 */
function keysUrlIn(metadata: unknown, issuer: string): URL {
  if (typeof metadata !== 'object' || metadata === null) throw issuerUnavailable(issuer, 'has invalid metadata');
  if (!('issuer' in metadata) || metadata.issuer !== issuer)
    throw issuerUnavailable(issuer, 'has the metadata of another issuer');
  const url = 'jwks_uri' in metadata && typeof metadata.jwks_uri === 'string' ? URL.parse(metadata.jwks_uri) : null;
  if (url === null) throw issuerUnavailable(issuer, 'has metadata without a valid jwks_uri');
  if (url.protocol !== 'https:' && url.origin !== new URL(issuer).origin) {
    throw issuerUnavailable(issuer, 'serves its keys from another origin without https');
  }
  return url;
}

/** `fetch` with a limit on the size of the response. */
const boundedFetch: FetchImplementation = async (url, options) => {
  const { status, body } = await fetch(url, options).catch((error: unknown) => {
    throw issuerUnavailable(url, 'does not answer', error);
  });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > ACCESS_LIMITS.issuerAnswerBytes) throw issuerUnavailable(url, 'sent a response above the size limit');
    parts.push(part);
  }
  return new Response(Buffer.concat(parts), { status });
};
