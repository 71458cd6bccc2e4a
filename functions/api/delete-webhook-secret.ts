import { nameOfCaller } from '#shared/credentials/caller.ts';
import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { id } from '#shared/resources/names.ts';
import { deleteSecret } from '#shared/webhooks/rotate-secret.ts';
import { OnlyId } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'deleteWebhookSecret',
  route: 'DELETE /webhooks/{hookId}/secret',
  permission: 'webhooks:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Sign deliveries no more',
  path: { hookId: id },
  response: single(OnlyId),
  async handle({ caller, path }, services) {
    const { organizationId } = caller;
    return ok({ data: await deleteSecret(services, { organizationId, ...path, actor: nameOfCaller(caller) }) });
  },
});
