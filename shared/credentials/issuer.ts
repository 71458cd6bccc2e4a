/** §5.3 The authorization server whose access tokens are accepted: where its keys are, and asking for them within bounds. */
import { createRemoteJWKSet, customFetch, type FetchImplementation } from 'jose';
import { issuerUnavailable } from '../errors.ts';
import { LIMITS } from '../limits.ts';

/** Looked up by a token's header; `fresh` while what is remembered still holds. */
export type IssuerKeys = ReturnType<typeof createRemoteJWKSet>;

/** The issuer's keys, found through its metadata. Throws when it does not answer as RFC 8414 or OpenID Connect say. */
export async function keysOf(issuer: string): Promise<IssuerKeys> {
  return createRemoteJWKSet(await keysUrlOf(issuer), {
    [customFetch]: boundedFetch,
    timeoutDuration: LIMITS.issuerMilliseconds,
    cacheMaxAge: LIMITS.issuerKeysMilliseconds,
    cooldownDuration: LIMITS.issuerPauseMilliseconds,
  });
}

async function keysUrlOf(issuer: string): Promise<URL> {
  for (const url of metadataUrlsOf(issuer)) {
    const signal = AbortSignal.timeout(LIMITS.issuerMilliseconds);
    const answer = await boundedFetch(url.href, { signal, redirect: 'manual', method: 'GET', headers: new Headers() });
    if (answer.status === 404) continue;
    return keysUrlIn(await answer.json(), issuer);
  }
  throw issuerUnavailable(issuer, 'has no metadata document');
}

/** RFC 8414 section 3.1, and OpenID Connect Discovery section 4, which differ where the issuer has a path. */
function metadataUrlsOf(issuer: string): URL[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
    new URL(`${origin}${path}/.well-known/openid-configuration`),
  ];
}

/** RFC 8414 section 3.3: a document that names another issuer must not be used. */
function keysUrlIn(metadata: unknown, issuer: string): URL {
  if (typeof metadata !== 'object' || metadata === null)
    throw issuerUnavailable(issuer, 'has metadata of no known form');
  if (!('issuer' in metadata) || metadata.issuer !== issuer) throw issuerUnavailable(issuer, 'calls itself otherwise');
  const url = 'jwks_uri' in metadata && typeof metadata.jwks_uri === 'string' ? URL.parse(metadata.jwks_uri) : null;
  if (url === null) throw issuerUnavailable(issuer, 'does not say where its keys are');
  if (url.protocol !== 'https:' && url.origin !== new URL(issuer).origin) {
    throw issuerUnavailable(issuer, 'has its keys where anybody could exchange them');
  }
  return url;
}

/** Reads no more than a set of keys can need, whatever it is sent. */
const boundedFetch: FetchImplementation = async (url, options) => {
  const { status, body } = await fetch(url, options).catch((error: unknown) => {
    throw issuerUnavailable(url, 'does not answer', error);
  });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > LIMITS.issuerAnswerBytes) throw issuerUnavailable(url, 'answers with more than can be meant');
    parts.push(part);
  }
  return new Response(Buffer.concat(parts), { status });
};
