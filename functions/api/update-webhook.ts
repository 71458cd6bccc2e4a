import { nameOfCaller } from '#shared/credentials/caller.ts';
import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { id } from '#shared/resources/names.ts';
import { updateWebhook } from '#shared/webhooks/update-webhook.ts';
import { Webhook, WebhookChange } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'updateWebhook',
  route: 'PUT /webhooks/{hookId}',
  permission: 'webhooks:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Change a webhook, stop it, or start it again',
  description: 'What is not sent stays as it is.',
  path: { hookId: id },
  body: WebhookChange,
  response: single(Webhook),
  async handle({ caller, path: { hookId }, body }, services) {
    const { organizationId } = caller;
    const change = { organizationId, hookId, actor: nameOfCaller(caller), wish: body };
    return ok({ data: await updateWebhook(services, change) });
  },
});
