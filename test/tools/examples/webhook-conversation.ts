/** A webhook from its making to its end. Where it points is nowhere: nothing is sent out while examples are recorded. */
import * as z from 'zod';

type Say = (operationId: string, method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

const WEBHOOK = {
  url: 'https://receiver.invalid/rundown',
  headers: '{"Authorization":"Bearer ..."}',
  hookEvents: ['RUN_FINISH'],
  label: 'Deployments',
  signed: true,
};

const Named = z.object({ hookId: z.string() });
const Sent = z.object({ deliveryId: z.string() });

export async function tellOfWebhooks(say: Say, projectId: string): Promise<void> {
  const ofProject = `/webhooks?projectId=${projectId}`;
  const { hookId } = Named.parse((await say('createWebhook', 'POST', ofProject, WEBHOOK))['data']);
  const path = `/webhooks/${hookId}`;
  await say('listWebhooks', 'GET', ofProject);
  await say('getWebhook', 'GET', path);
  await say('updateWebhook', 'PUT', path, { hookEvents: ['RUN_FINISH', 'RUN_TIMEOUT'], label: 'Chat' });
  const { deliveryId } = Sent.parse((await say('testWebhook', 'POST', `${path}/test`))['data']);
  await say('listDeliveries', 'GET', `${path}/deliveries?limit=1`);
  await say('redeliver', 'POST', `${path}/deliveries/${deliveryId}/redeliver`);
  await say('rotateWebhookSecret', 'POST', `${path}/secret`);
  await say('deleteWebhookSecret', 'DELETE', `${path}/secret`);
  await say('deleteWebhook', 'DELETE', path);
}
