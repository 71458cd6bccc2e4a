import { nameOfCaller } from '#shared/credentials/caller.ts';
import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { id } from '#shared/resources/names.ts';
import { Delivery } from '#shared/webhooks/delivery-wire.ts';
import { redeliver } from '#shared/webhooks/redeliver.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'redeliver',
  route: 'POST /webhooks/{hookId}/deliveries/{deliveryId}/redeliver',
  permission: 'webhooks:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Send a delivery again',
  description:
    'The same `webhook-id` and body, and the schedule of retries from its beginning. One that is under way stays as it is.',
  path: { hookId: id, deliveryId: id },
  response: single(Delivery),
  async handle({ caller, path }, services) {
    const { organizationId } = caller;
    return ok({ data: await redeliver(services, { organizationId, ...path, actor: nameOfCaller(caller) }) });
  },
});
