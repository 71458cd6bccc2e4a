import { CacheBody, StoreCacheAnswer } from '#shared/cache/cache-wire.ts';
import { storeCache } from '#shared/cache/store-cache.ts';
import { cachedVersions } from '#shared/model/runs/cached-version.ts';
import { monthsOfRequests, requestsOfCredentials } from '#shared/model/usage/usage.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { actorFromBody } from '#shared/platform/from-body.ts';

/** Called by `currents cache set`. The record key is in the body, where the authorizer cannot see it. */
export const handler = endpoint({
  operationId: 'storeCache',
  route: 'POST /cache/upload',
  at: 'both',
  permission: 'record',
  credential: actorFromBody(),
  access: {
    table: 'readWrite',
    writes: [cachedVersions, monthsOfRequests, requestsOfCredentials],
    artifacts: 'cacheWrite',
  },
  summary: 'Get links to upload files of a CI job to the cache',
  body: CacheBody,
  response: StoreCacheAnswer,
  refuses: ['storageFull'],
  handle: ({ actor: { organizationId }, body }, services) => storeCache(services, { organizationId, body }),
});
