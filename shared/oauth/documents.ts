/** §5.3 Client ID Metadata Documents: the client id is their URL. Cached, because each token renewal reads them. */
import { hashToken } from '#shared/access/token.ts';
import { put } from '#shared/engine/table/writes.ts';
import { oauthItems } from '#shared/model/oauth/oauth-item.ts';
import type { Services } from '#shared/services.ts';
import { cleanDocument, KeptDocument } from './client-metadata-wire.ts';
import { fetchGuarded, type PublishedDocument } from './fetch-guarded.ts';
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

const makeDocumentKey = (address: string) => ({ model: 'Document', hash: hashToken(address) }) as const;

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
function makeFailedDocument(before: CachedDocument | undefined, now: number): CachedDocument {
  const cacheTimes = computeCacheTimes(OAUTH_LIMITS.documentSeconds.failed, now);
  if (before?.metadata === undefined) return cacheTimes;
  return { ...cacheTimes, metadata: before.metadata, expiresAt: before.expiresAt };
}

const computeCacheTimes = (seconds: number, now: number): CachedDocument => {
  const until = now + 1000 * seconds;
  return { until, expiresAt: Math.floor(until / 1000) };
};

const parseMaxAge = (cacheControl = ''): number => Number(/(?:^|,)\s*max-age=(\d{1,9})/i.exec(cacheControl)?.[1] ?? 0);
