/** §5.3 Client ID Metadata Documents: the client id is their URL. Cached, because each token renewal reads them. */

import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { hashToken } from '#shared/access/token.ts';
import { put } from '#shared/engine/table/writes.ts';
import { oauthItems } from '#shared/model/oauth/oauth-item.ts';
import { type AddressPolicy, mayReach } from '#shared/sending/addresses.ts';
import { guardLookup, RefusedAddress } from '#shared/sending/guarded-lookup.ts';
import { findUrlProblem, getHost } from '#shared/sending/url-rules.ts';
import type { Services } from '#shared/services.ts';
import { cleanDocument, KeptDocument } from './client-metadata-wire.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { getRequestState } from './request-state.ts';

/** The `fetch` function for oidc-provider, which calls it only to read client metadata documents. */
export async function fetchDocument(input: string | URL | Request): Promise<Response> {
  const { services } = getRequestState();
  const address = input instanceof Request ? input.url : String(input);
  const row = await services.table.get(oauthItems, makeDocumentKey(address), { consistent: true });
  const cachedDocument = row && { ...KeptDocument.parse(JSON.parse(row.payload)), expiresAt: row.expiresAt };
  const { metadata } =
    cachedDocument && services.now() < cachedDocument.until
      ? cachedDocument
      : await readAndKeep(services, address, cachedDocument);
  if (metadata === undefined) return new Response(null, { status: 502 });
  return new Response(metadata, { headers: { 'content-type': 'application/json' } });
}

const makeDocumentKey = (address: string) => ({ model: 'Document', hash: hashToken(address) });

/** A cached document with the time at which its row expires, in epoch seconds. */
type CachedDocument = KeptDocument & { readonly expiresAt: number };

/** The setting `privateReceivers` is only for URLs of members, such as webhooks. Anyone can send a client id. */
async function readAndKeep(
  services: Services,
  address: string,
  before: CachedDocument | undefined,
): Promise<CachedDocument> {
  const document = await fetchGuarded(address, { privateReceivers: services.localClients ? 'machine' : 'none' });
  const cachedDocument = document
    ? makeCachedDocument(document, services.now())
    : makeFailedDocument(before, services.now());
  const { expiresAt, ...content } = cachedDocument;
  const row = { ...makeDocumentKey(address), payload: JSON.stringify(content), expiresAt };
  await services.table.writeMany([put(oauthItems, row)]);
  return cachedDocument;
}

function makeCachedDocument({ text, cacheControl }: PublishedDocument, now: number): CachedDocument {
  const { least, most, failed } = OAUTH_LIMITS.documentSeconds;
  const result = cleanDocument(text);
  if (!result.ok) return computeCacheTimes(failed, now);
  const seconds = Math.min(most, Math.max(least, parseMaxAge(cacheControl)));
  const cacheTimes = computeCacheTimes(seconds, now);
  const metadata = JSON.stringify(result.metadata);
  return { ...cacheTimes, metadata, expiresAt: cacheTimes.expiresAt + OAUTH_LIMITS.staleDocumentSeconds };
}

/**
 * The last document stays in use until its row expires, because a refused client discards its refresh token. The
 * failure is cached too, so that nobody can make this service send many requests to a host.
 */
const makeFailedDocument = (before: CachedDocument | undefined, now: number): CachedDocument => ({
  ...computeCacheTimes(OAUTH_LIMITS.documentSeconds.failed, now),
  ...(before?.metadata === undefined ? {} : { metadata: before.metadata, expiresAt: before.expiresAt }),
});

const computeCacheTimes = (seconds: number, now: number): CachedDocument => {
  const until = now + 1000 * seconds;
  return { until, expiresAt: Math.floor(until / 1000) };
};

const parseMaxAge = (cacheControl = ''): number => Number(/(?:^|,)\s*max-age=(\d{1,9})/i.exec(cacheControl)?.[1] ?? 0);

// Reads a small document with protection against SSRF: redirects are not followed, and only public addresses are
// allowed. If clients may run on the local machine, its addresses and those of private networks are allowed, too.

interface GetPolicy extends AddressPolicy {
  /** Resolves host names. Only tests set this function. Default: the system resolver. */
  readonly lookup?: LookupFunction;
  /** Whether any port is allowed. Only tests set this flag, because they cannot listen on the standard port. */
  readonly anyPort?: boolean;
}

interface PublishedDocument {
  readonly text: string;
  readonly cacheControl: string;
}

/** `undefined` for every failure, because the reason could reveal the structure of the internal network. */
export async function fetchGuarded(address: string, network: GetPolicy): Promise<PublishedDocument | undefined> {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' || findUrlProblem(address, network) !== undefined) return undefined;
  // The host name in a client id identifies the client, so the URL must use the standard port. If clients may be on the
  // local machine, any port is allowed, because ordinary users cannot listen on the standard port.
  if (url.port !== '' && !network.anyPort && network.privateReceivers !== 'machine') return undefined;
  try {
    return await sendRequest(url, network);
  } catch {
    return undefined;
  }
}

function sendRequest(url: URL, network: GetPolicy): Promise<PublishedDocument | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<PublishedDocument | undefined>();
  const outgoingRequest = request({
    method: 'GET',
    host: getHost(url),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: { accept: 'application/json', 'accept-encoding': 'identity', host: url.host },
    lookup: guardLookup(network, network.lookup),
    agent: false,
    signal: AbortSignal.timeout(OAUTH_LIMITS.documentMilliseconds),
  });
  outgoingRequest.on('socket', (socket) => {
    // Checks the address before any other listener runs, so that no TLS handshake starts with a forbidden address.
    socket.prependOnceListener('connect', () => {
      if (!mayReach(socket.remoteAddress ?? '', network)) outgoingRequest.destroy(new RefusedAddress());
    });
  });
  outgoingRequest.on('error', reject);
  outgoingRequest.on('close', () => resolve(undefined));
  outgoingRequest.on('response', async (response) => {
    const { statusCode, headers } = response;
    const parts: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const part of response) {
        bytes += part.length;
        if (statusCode !== 200 || bytes > OAUTH_LIMITS.documentBytes) break;
        parts.push(part);
      }
      const isWhole = statusCode === 200 && bytes <= OAUTH_LIMITS.documentBytes;
      const text = Buffer.concat(parts).toString();
      resolve(isWhole ? { text, cacheControl: headers['cache-control'] ?? '' } : undefined);
    } catch (error) {
      reject(error);
    }
  });
  outgoingRequest.end();
  return promise;
}
