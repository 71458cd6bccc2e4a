import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenDelivery } from '#shared/mcp/shorter-webhooks.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { DeliveryWire } from '#shared/webhooks/delivery-wire.ts';
import { sendTestEvent } from '#shared/webhooks/test-event.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'testWebhook',
  route: 'POST /webhooks/{hookId}/test',
  permission: 'webhooks:write',
  access: { table: 'readWrite', alsoWrites: [auditRecords], artifacts: 'none' },
  summary: 'Send a test event to a webhook',
  description: 'The event belongs to no run. Its `buildId` is `webhook-test`.',
  response: single(DeliveryWire),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it to check a receiver. The result appears in list_deliveries shortly after. Needs `hookId` from list_webhooks.',
    hints: { destructiveHint: false, idempotentHint: false, openWorldHint: true },
    answer: shortenDelivery,
    next: 'list_deliveries with `hookId` shows the attempts.',
  },
  async handle({ caller, path }, services) {
    return wrapData(await sendTestEvent(services, { ...caller, ...path }));
  },
});
