import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { DeliveryWire } from '#shared/webhooks/delivery-wire.ts';
import { redeliver } from '#shared/webhooks/redeliver.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'redeliver',
  route: 'POST /webhooks/{hookId}/deliveries/{deliveryId}/redeliver',
  permission: 'webhooks:write',
  access: { table: 'readWrite', alsoWrites: [auditRecords], artifacts: 'none' },
  summary: 'Send a delivery again',
  description:
    'Sends the same `webhook-id` and body with a fresh set of retries. Has no effect on a delivery that is still in progress.',
  response: single(DeliveryWire),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, path }, services) {
    return wrapData(await redeliver(services, { ...caller, ...path }));
  },
});
