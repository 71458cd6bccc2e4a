/** Records examples of the operations on webhooks. Nothing is sent to the addresses of the webhooks. */
import * as z from 'zod';

type Send = (operationId: string, method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

const WEBHOOK = {
  url: 'https://receiver.invalid/rundown',
  headers: '{"Authorization":"Bearer ..."}',
  hookEvents: ['RUN_FINISH'],
  label: 'Deployments',
  signed: true,
};

const Named = z.object({ hookId: z.string() });
const Sent = z.object({ deliveryId: z.string() });

export async function recordWebhooks(request: Send, projectId: string): Promise<void> {
  const ofProject = `/webhooks?projectId=${projectId}`;
  const { hookId } = Named.parse((await request('createWebhook', 'POST', ofProject, WEBHOOK))['data']);
  const path = `/webhooks/${hookId}`;
  await request('listWebhooks', 'GET', ofProject);
  await request('getWebhook', 'GET', path);
  await request('updateWebhook', 'PUT', path, { hookEvents: ['RUN_FINISH', 'RUN_TIMEOUT'], label: 'Chat' });
  const { deliveryId } = Sent.parse((await request('testWebhook', 'POST', `${path}/test`))['data']);
  await request('listDeliveries', 'GET', `${path}/deliveries?limit=1`);
  await request('redeliver', 'POST', `${path}/deliveries/${deliveryId}/redeliver`);
  await request('rotateWebhookSecret', 'POST', `${path}/secret`);
  await request('deleteWebhookSecret', 'DELETE', `${path}/secret`);
  await request('deleteWebhook', 'DELETE', path);
}
