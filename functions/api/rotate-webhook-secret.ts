import { nameOfCaller } from '#shared/credentials/caller.ts';
import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { id } from '#shared/resources/names.ts';
import { rotateSecret } from '#shared/webhooks/rotate-secret.ts';
import { RotatedSecret } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'rotateWebhookSecret',
  route: 'POST /webhooks/{hookId}/secret',
  permission: 'webhooks:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Sign deliveries with a new secret',
  description: 'The secret before it signs beside it for 24 hours.',
  path: { hookId: id },
  response: single(RotatedSecret),
  async handle({ caller, path }, services) {
    const { organizationId } = caller;
    return ok({ data: await rotateSecret(services, { organizationId, ...path, actor: nameOfCaller(caller) }) });
  },
});
