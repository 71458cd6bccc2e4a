import * as z from 'zod';
import { endpoint } from '#shared/endpoint.ts';
import { cursorPageOf, ok } from '#shared/envelope.ts';
import { LIMITS } from '#shared/limits.ts';
import { cursorQuery } from '#shared/pagination.ts';
import { id } from '#shared/resources/names.ts';
import { Delivery } from '#shared/webhooks/delivery-wire.ts';
import { listDeliveries } from '#shared/webhooks/list-deliveries.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'listDeliveries',
  route: 'GET /webhooks/{hookId}/deliveries',
  permission: 'webhooks:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'What was sent to a webhook or is to be, newest first',
  path: { hookId: id },
  query: z.object(cursorQuery(LIMITS.cursorPage)),
  response: cursorPageOf(Delivery),
  async handle({ caller: { organizationId }, path: { hookId }, query }, services) {
    return ok(await listDeliveries(services, { organizationId, hookId, query }));
  },
});
