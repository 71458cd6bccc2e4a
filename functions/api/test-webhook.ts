import { ok, single } from '#shared/engine/http/envelope.ts';
import { id } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { Delivery } from '#shared/webhooks/delivery-wire.ts';
import { sendTest } from '#shared/webhooks/send-test.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'testWebhook',
  route: 'POST /webhooks/{hookId}/test',
  permission: 'webhooks:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Send a test event to a webhook',
  description: 'The event belongs to no run. Its `buildId` is `webhook-test`.',
  path: { hookId: id },
  response: single(Delivery),
  refuses: ['notFound', 'conflict'],
  async handle({ actor, path }, services) {
    const { organizationId } = actor;
    return ok({ data: await sendTest(services, { organizationId, ...path, actor }) });
  },
});
