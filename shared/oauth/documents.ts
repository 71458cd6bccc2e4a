/**
 * §5.3 Client ID Metadata Documents: the client id is the URL of its metadata. Cached, because each token renewal needs
 * them.
 */

import { hashToken } from '#shared/access/token.ts';
import { put } from '#shared/engine/table/writes.ts';
import { oauthItems } from '#shared/model/organizations/oauth-item.ts';
import type { Services } from '#shared/services.ts';
import { cleanDocument } from './client-metadata-wire.ts';
import { guardedGet } from './guarded-get.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { currentState } from './request-state.ts';

const UNUSABLE = '';

/** The `fetch` of the library, which uses it for client ids only. */
export async function fetchDocument(input: string | URL | Request): Promise<Response> {
  const { services } = currentState();
  const address = input instanceof Request ? input.url : String(input);
  const kept = await services.table.get(oauthItems, keyOf(address), { consistent: true });
  const payload = kept?.payload ?? (await readAndKeep(services, address));
  if (payload === UNUSABLE) return new Response(null, { status: 502 });
  return new Response(payload, { headers: { 'content-type': 'application/json' } });
}

const keyOf = (address: string) => ({ model: 'Document', hash: hashToken(address) });

/**
 * Reads a document and caches it. Any stranger can name any URL. So `privateReceivers`, which is for webhooks that
 * members set up, does not apply here.
 */
async function readAndKeep(services: Services, address: string): Promise<string> {
  const document = await guardedGet(address, { privateReceivers: services.localClients ? 'machine' : 'none' });
  const cleaned = document && cleanDocument(document.text);
  const payload = cleaned?.ok ? JSON.stringify(cleaned.metadata) : UNUSABLE;
  const { least, most, failed } = OAUTH_LIMITS.documentSeconds;
  const seconds = payload === UNUSABLE ? failed : Math.min(most, Math.max(least, maxAgeIn(document?.cacheControl)));
  const expiresAt = Math.floor(services.now() / 1000) + seconds;
  await services.table.writeMany([put(oauthItems, { ...keyOf(address), payload, expiresAt })]);
  return payload;
}

const maxAgeIn = (cacheControl = ''): number => Number(/(?:^|,)\s*max-age=(\d{1,9})/i.exec(cacheControl)?.[1] ?? 0);
