import { CacheBody, StoreCacheAnswer } from '#shared/cache/cache-wire.ts';
import { storeCache } from '#shared/cache/store-cache.ts';
import { cachedVersions } from '#shared/model/runs/cached-version.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { actorFromBody } from '#shared/platform/from-body.ts';

/** `currents cache set` sends this request. The authorizer cannot see its key, which is in the body. */
export const handler = endpoint({
  operationId: 'storeCache',
  route: 'POST /cache/upload',
  at: 'both',
  permission: 'record',
  credential: actorFromBody(),
  access: { table: 'readWrite', writes: [cachedVersions], artifacts: 'cacheWrite' },
  summary: 'Get the links to put files of a CI job into the cache',
  body: CacheBody,
  response: StoreCacheAnswer,
  handle: ({ actor: { organizationId }, body }, services) => storeCache(services, { organizationId, body }),
});
