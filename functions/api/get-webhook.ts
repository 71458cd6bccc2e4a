import { ok, single } from '#shared/engine/http/envelope.ts';
import { id } from '#shared/model/names.ts';
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
  path: { hookId: id },
  response: single(WebhookWire),
  refuses: ['notFound'],
  tool: 'none',
  async handle({ caller, path }, services) {
    return ok({ data: await getWebhook(services, { ...caller, ...path }) });
  },
});
