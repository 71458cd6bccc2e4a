import { nameOfCaller } from '#shared/credentials/caller.ts';
import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { id } from '#shared/resources/names.ts';
import { deleteWebhook } from '#shared/webhooks/delete-webhook.ts';
import { OnlyId } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'deleteWebhook',
  route: 'DELETE /webhooks/{hookId}',
  permission: 'webhooks:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Send nothing there any more',
  path: { hookId: id },
  response: single(OnlyId),
  async handle({ caller, path }, services) {
    const { organizationId } = caller;
    return ok({ data: await deleteWebhook(services, { organizationId, ...path, actor: nameOfCaller(caller) }) });
  },
});
