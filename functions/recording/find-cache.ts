import { CacheBody, FindCacheAnswer } from '#shared/cache/cache-wire.ts';
import { findCache } from '#shared/cache/find-cache.ts';
import { monthsOfRequests, requestsOfCredentials } from '#shared/model/usage/usage.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { actorFromBody } from '#shared/platform/from-body.ts';

/** The first request of `currents cache get`. */
export const handler = endpoint({
  operationId: 'findCache',
  route: 'POST /cache/meta',
  at: 'both',
  permission: 'record',
  credential: actorFromBody(),
  access: { table: 'readUpdate', writes: [monthsOfRequests, requestsOfCredentials], artifacts: 'cacheRead' },
  summary: 'Find the newest cached files of a CI job',
  body: CacheBody,
  response: FindCacheAnswer,
  handle: ({ actor: { organizationId }, body }, services) => findCache(services, { organizationId, body }),
});
