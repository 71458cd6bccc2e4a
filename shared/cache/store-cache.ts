/**
 * Creates a version of a cache and returns presigned PUT URLs for its files. Earlier versions stay readable until they
 * expire.
 */
import type * as z from 'zod';
import { DAY_SECONDS } from '#shared/engine/durations.ts';
import {
  cachedVersions,
  getArchiveKey,
  getDescriptionKey,
  getReferenceKey,
} from '#shared/model/runs/cached-version.ts';
import type { Services } from '#shared/services.ts';
import { requireRoom } from '#shared/usage/stored-bytes.ts';
import { deriveCacheName } from './cache-name.ts';
import type { CacheBody, StoreCacheAnswer } from './cache-wire.ts';
import { CACHE_LIMITS } from './limits.ts';

const VERSION_CHARACTERS = 24;

export async function storeCache(
  services: Services,
  { organizationId, body }: { readonly organizationId: string; readonly body: CacheBody },
): Promise<z.input<typeof StoreCacheAnswer>> {
  const { table, artifacts, now, randomId } = services;
  await requireRoom(services, { organizationId });
  const { cacheId, cache } = deriveCacheName(body);
  const key = { organizationId, cache, version: randomId(VERSION_CHARACTERS) };
  const createdAt = now();
  const expiresAt = Math.ceil(createdAt / 1000) + CACHE_LIMITS.keptDays * DAY_SECONDS;
  await table.put(cachedVersions, { ...key, createdAt, expiresAt });
  const cacheKey = `${cache}.${key.version}`;
  return {
    cacheId,
    orgId: organizationId,
    cacheKey,
    metaCacheKey: `${cacheKey}.json`,
    uploadUrl: await artifacts.uploadUrl(getArchiveKey(key)),
    metaUploadUrl: await artifacts.uploadUrl(getDescriptionKey(key)),
    refMetaUploadUrl: await artifacts.uploadUrl(getReferenceKey(key)),
  };
}
