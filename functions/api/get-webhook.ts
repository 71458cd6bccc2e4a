import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { id } from '#shared/resources/names.ts';
import { getWebhook } from '#shared/webhooks/find-webhook.ts';
import { Webhook } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'getWebhook',
  route: 'GET /webhooks/{hookId}',
  permission: 'webhooks:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'One webhook',
  path: { hookId: id },
  response: single(Webhook),
  async handle({ caller: { organizationId }, path: { hookId } }, services) {
    return ok({ data: await getWebhook(services, { organizationId, hookId }) });
  },
});
