import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenWebhook } from '#shared/mcp/shorter-webhooks.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { updateWebhook } from '#shared/webhooks/update-webhook.ts';
import { WebhookChange, WebhookWire } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'updateWebhook',
  route: 'PUT /webhooks/{hookId}',
  permission: 'webhooks:write',
  access: { table: 'readWrite', writes: [webhooks, deliveries, outbox, auditRecords], artifacts: 'none' },
  summary: 'Update, enable or disable a webhook',
  description: 'Send at least one member. Omitted members stay unchanged.',
  body: WebhookChange,
  response: single(WebhookWire),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it to change the URL, events, headers or label of a webhook that a person named. `headers` replaces all headers. Needs `hookId` from list_webhooks.',
    hints: { destructiveHint: true, idempotentHint: false, openWorldHint: true },
    answer: shortenWebhook,
    next: 'test_webhook with `hookId` sends a test event.',
  },
  async handle({ caller, path, body }, services) {
    return wrapData(await updateWebhook(services, { ...caller, ...path, input: body }));
  },
});
