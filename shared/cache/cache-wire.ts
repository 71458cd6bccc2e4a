/** The schemas of the requests and responses of the command `currents cache`. */
import * as z from 'zod';
import { id } from '#shared/model/names.ts';
import { CACHE_LIMITS } from './limits.ts';

const job = z.int().min(1).max(CACHE_LIMITS.matrixJobs);

export const CacheBody = z.object({
  id: id.nullish().meta({ description: 'Name of the cache. Default: derived from the CI job' }),
  ci: z
    .object({
      provider: z.string().nullish().catch(null),
      params: z.record(z.string(), z.unknown()).nullish().catch(null),
    })
    .nullish()
    .catch(null),
  config: z.object({ matrixIndex: job.nullish(), matrixTotal: job.nullish() }).nullish(),
});
export type CacheBody = z.output<typeof CacheBody>;

const link = z.string();

export const StoreCacheAnswer = z.object({
  cacheId: z.string(),
  orgId: z.string(),
  cacheKey: z.string().meta({ description: 'Identifies the stored version' }),
  metaCacheKey: z.string(),
  uploadUrl: link.meta({ description: 'Presigned PUT URL for the archive' }),
  metaUploadUrl: link.meta({ description: 'Presigned PUT URL for the description of this version' }),
  refMetaUploadUrl: link.meta({ description: 'Presigned PUT URL for the reference to the newest version' }),
});

export const FindCacheAnswer = z.object({
  cacheId: z.string(),
  orgId: z.string(),
  refMetaReadUrl: link.meta({ description: 'Answers 403 or 404 if the cache does not exist' }),
});

export const ReadCacheBody = z.object({ cacheKey: id });
export const ReadCacheAnswer = z.object({ cacheKey: z.string(), orgId: z.string(), readUrl: link });
