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
import { issuerKeys } from '#shared/model/oauth/issuer-keys.ts';
import type { WithClock } from '#shared/services.ts';
import { issuerUnavailable } from './errors.ts';
import { ACCESS_LIMITS } from './limits.ts';

/**
 * Reads the public keys of our own authorization server from the table, and caches them. An unknown key id causes
 * another read, but at most one per `issuerPauseMilliseconds`, so forged key ids cost little.
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
  #keys: Promise<KeyFinder> | undefined;

  constructor(issuer: Issuer) {
    this.#trusted = issuer;
  }

  /** Returns `undefined` for a token that is invalid or for another resource. Throws if no keys can be fetched. */
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
    this.#keys ??= makeKeyFinder(this.#trusted.issuer);
    return this.#keys;
  }

  /** The next request fetches keys again. While the cached ones are fresh, unknown ones do not slow it down. */
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

// §5.3 Fetches the keys of an external authorization server, with limits on time and size.

/** Finds the public key that a token names. Its property `fresh` says whether the cached keys are still valid. */
type KeyFinder = ReturnType<typeof createRemoteJWKSet>;

/** Throws if the issuer does not respond, or has no valid metadata (RFC 8414 or OpenID Connect Discovery). */
async function makeKeyFinder(issuer: string): Promise<KeyFinder> {
  return createRemoteJWKSet(await fetchKeysUrl(issuer), {
    [customFetch]: fetchWithSizeLimit,
    timeoutDuration: ACCESS_LIMITS.issuerMilliseconds,
    cacheMaxAge: ACCESS_LIMITS.issuerKeysMilliseconds,
    cooldownDuration: ACCESS_LIMITS.issuerPauseMilliseconds,
  });
}

async function fetchKeysUrl(issuer: string): Promise<URL> {
  for (const url of listMetadataUrls(issuer)) {
    const signal = AbortSignal.timeout(ACCESS_LIMITS.issuerMilliseconds);
    const answer = await fetchWithSizeLimit(url.href, {
      signal,
      redirect: 'manual',
      method: 'GET',
      headers: new Headers(),
    });
    if (answer.status === 404) continue;
    return parseKeysUrl(await answer.json(), issuer);
  }
  throw issuerUnavailable(issuer, 'has no metadata document');
}

/** RFC 8414 section 3.1 appends the issuer's path, OpenID Connect Discovery section 4 puts it in front. */
function listMetadataUrls(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
    new URL(`${origin}${path}/.well-known/openid-configuration`),
  ];
}

/** RFC 8414 section 3.3: a document that names another issuer must not be used. */
function parseKeysUrl(metadata: unknown, issuer: string): URL {
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

const fetchWithSizeLimit: FetchImplementation = async (url, options) => {
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
