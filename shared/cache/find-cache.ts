/** Finds the newest version of a cache and links to its archive. An expired version counts as missing. */
import type * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import {
  cachedVersions,
  getArchiveKey,
  getCacheVersionsSpan,
  getReferenceKey,
} from '#shared/model/runs/cached-version.ts';
import type { Services } from '#shared/services.ts';
import { deriveCacheName } from './cache-name.ts';
import type { CacheBody, FindCacheAnswer, ReadCacheAnswer } from './cache-wire.ts';
import { CACHE_LIMITS } from './limits.ts';

type Reader = Pick<Services, 'table' | 'artifacts'>;

/** The cache name in the link for a missing cache. No cache has this name, so the link leads to no object. */
const NO_CACHE = 'none';

/** `currents cache` detects a missing cache only by its failing download, so it gets a link to no object. */
export async function findCache(
  { table, artifacts }: Reader,
  { organizationId, body }: { readonly organizationId: string; readonly body: CacheBody },
): Promise<z.input<typeof FindCacheAnswer>> {
  const { cacheId, cache } = deriveCacheName(body);
  const { rows } = await table.query(cachedVersions, getCacheVersionsSpan({ organizationId, cache }), {
    consistent: true,
  });
  const linkedCache = rows.length > 0 ? cache : NO_CACHE;
  const refMetaReadUrl = await artifacts.readUrl({
    key: getReferenceKey({ organizationId, cache: linkedCache }),
    contentType: 'application/json',
    fileName: 'cache.json',
  });
  return { cacheId, orgId: organizationId, refMetaReadUrl };
}

const CACHE_KEY = /^(?<cache>[0-9a-f]{32})\.(?<version>[0-9a-f]{24})$/;

export async function readCache(
  { table, artifacts }: Reader,
  { organizationId, cacheKey }: { readonly organizationId: string; readonly cacheKey: string },
): Promise<z.input<typeof ReadCacheAnswer>> {
  const { cache = '', version = '' } = CACHE_KEY.exec(cacheKey)?.groups ?? refuse(notFound('Cache'));
  const key = { organizationId, cache, version };
  if (!(await table.get(cachedVersions, key, { consistent: true }))) throw notFound('Cache');
  const archiveKey = getArchiveKey(key);
  // The size is checked before each download, because a presigned PUT URL cannot limit it. A missing archive still gets
  // a link, which leads to no object.
  if (((await artifacts.sizeOf(archiveKey)) ?? 0) > CACHE_LIMITS.archiveBytes) {
    await artifacts.remove(archiveKey);
    throw notFound('Cache');
  }
  const readUrl = await artifacts.readUrl({ key: archiveKey, contentType: 'application/zip', fileName: 'cache.zip' });
  return { cacheKey, orgId: organizationId, readUrl };
}
