import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { getWebhook } from '#shared/webhooks/find-webhook.ts';
import { WebhookWire } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'getWebhook',
  route: 'GET /webhooks/{hookId}',
  permission: 'webhooks:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Get one webhook',
  response: single(WebhookWire),
  refuses: ['notFound'],
  tool: 'none',
  async handle({ caller, path }, services) {
    return wrapData(await getWebhook(services, { ...caller, ...path }));
  },
});
