import * as z from 'zod';
import { cursorPageOf, wrapOk } from '#shared/engine/http/envelope.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery, suggestSmallerPage } from '#shared/engine/http/pagination.ts';
import { shortenDeliveries } from '#shared/mcp/shorter-webhooks.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { DeliveryWire } from '#shared/webhooks/delivery-wire.ts';
import { listDeliveries } from '#shared/webhooks/list-deliveries.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'listDeliveries',
  route: 'GET /webhooks/{hookId}/deliveries',
  permission: 'webhooks:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the deliveries of a webhook, newest first',
  query: z.object(cursorQuery(PAGE_LIMITS.cursorPage)),
  response: cursorPageOf(DeliveryWire),
  limit: suggestSmallerPage,
  refuses: ['notFound'],
  tool: {
    description:
      'Use it to find out why a receiver got no event. It shows each attempt with its status and error. Needs `hookId` from list_webhooks.',
    defaults: { limit: 5 },
    answer: shortenDeliveries,
    next: 'test_webhook with `hookId` sends a test event.',
  },
  async handle({ caller, path, query }, services) {
    return wrapOk(await listDeliveries(services, { ...caller, ...path, query }));
  },
});
