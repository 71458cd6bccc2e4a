/** §5.3 Fetches the keys of an external authorization server, with limits on time and size. */

import { createRemoteJWKSet, customFetch, type FetchImplementation } from 'jose';
import { issuerUnavailable } from './errors.ts';
import { ACCESS_LIMITS } from './limits.ts';

/** Finds the public key that a token names. Its property `fresh` says whether the cached keys are still valid. */
export type KeyFinder = ReturnType<typeof createRemoteJWKSet>;

/** Throws if the issuer does not respond, or has no valid metadata (RFC 8414 or OpenID Connect Discovery). */
export async function makeKeyFinder(issuer: string): Promise<KeyFinder> {
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
    const options = { signal, redirect: 'manual', method: 'GET', headers: new Headers() } as const;
    const answer = await fetchWithSizeLimit(url.href, options);
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
