/** §5.3 Fetches the keys of an external authorization server, with limits on time and size. */
import { createRemoteJWKSet, customFetch, type FetchImplementation } from 'jose';
import { issuerUnavailable } from './errors.ts';
import { ACCESS_LIMITS } from './limits.ts';

/** Finds the key that a token's header names. `fresh` says whether the cache is still valid. */
export type KeyFinder = ReturnType<typeof createRemoteJWKSet>;

/** Finds the issuer's keys through its metadata. Throws if it follows neither RFC 8414 nor OpenID Connect Discovery. */
export async function keysOf(issuer: string): Promise<KeyFinder> {
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
 * The addresses at which the metadata may be. RFC 8414 section 3.1 and OpenID Connect Discovery section 4 differ if the
 * issuer has a path.
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
 * The address of the keys in the metadata. RFC 8414 section 3.3: a document that names another issuer must not be used.
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
