import { ReadCacheAnswer, ReadCacheBody } from '#shared/cache/cache-wire.ts';
import { readCache } from '#shared/cache/find-cache.ts';
import { monthsOfRequests, requestsOfCredentials } from '#shared/model/usage/usage.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { actorFromBody } from '#shared/platform/from-body.ts';

/**
 * The second request of `currents cache get`. The client has read the cache key from a file, whose link was in the
 * response to the first request.
 */
export const handler = endpoint({
  operationId: 'readCache',
  route: 'POST /cache/v2/download',
  at: 'both',
  permission: 'record',
  credential: actorFromBody(),
  access: { table: 'readUpdate', writes: [monthsOfRequests, requestsOfCredentials], artifacts: 'cacheRead' },
  summary: 'Get the download link of cached files',
  body: ReadCacheBody,
  response: ReadCacheAnswer,
  refuses: ['notFound'],
  handle: ({ actor: { organizationId }, body: { cacheKey } }, services) =>
    readCache(services, { organizationId, cacheKey }),
});
