import { nameOfCaller } from '#shared/credentials/caller.ts';
import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { id } from '#shared/resources/names.ts';
import { Delivery } from '#shared/webhooks/delivery-wire.ts';
import { sendTest } from '#shared/webhooks/send-test.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'testWebhook',
  route: 'POST /webhooks/{hookId}/test',
  permission: 'webhooks:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Send a test event to a webhook',
  description: 'The event did not happen, and its values say so: its `buildId` is `webhook-test`.',
  path: { hookId: id },
  response: single(Delivery),
  async handle({ caller, path }, services) {
    const { organizationId } = caller;
    return ok({ data: await sendTest(services, { organizationId, ...path, actor: nameOfCaller(caller) }) });
  },
});
