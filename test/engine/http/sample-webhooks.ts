/** Sample webhooks. Their host names are in a reserved domain and never resolve. */
import { randomInt } from 'node:crypto';
import { encodeInstant } from '#shared/engine/table/keys.ts';
import { type Delivery, deliveries } from '#shared/model/events/delivery.ts';
import type { Webhook } from '#shared/model/events/webhook.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';
import type { Need, Sample, World } from './sample-shapes.ts';

const RECEIVER = 'https://receiver.invalid/hook';

/** Creates a webhook with a delivery, and a webhook to delete. Creates only the objects that are needed. */
export async function sampleWebhooks(
  { api, services, ...tenant }: Tenant & Pick<TestService, 'services'>,
  isNeeded: (need: Need) => boolean,
) {
  const body = { url: RECEIVER, hookEvents: ['RUN_CANCELED'] };
  const make = async (need: Need): Promise<string> =>
    isNeeded(need) ? (await api.post(`/webhooks?projectId=${tenant.projectId}`, body)).body.data.hookId : '';
  const hookId = await make('hookId');
  const doomedHookId = await make('doomedHookId');
  if (!isNeeded('deliveryId')) return { hookId, doomedHookId, deliveryId: '' };
  const delivery = deliveryItem(
    { ...tenant, hookId },
    // The delivery never expires, because some tests advance the clock by a year.
    { number: randomInt(2 ** 40), createdAt: Date.now(), expiresAt: Number.MAX_SAFE_INTEGER },
  );
  await services.table.put(deliveries, delivery);
  return { hookId, doomedHookId, deliveryId: delivery.deliveryId };
}

const ofProject = ({ projectId }: World): string => `projectId=${encodeURIComponent(projectId)}`;

export const WEBHOOK_SAMPLES: Readonly<Record<string, Sample>> = {
  listWebhooks: { ids: ['projectId'], query: ofProject, bad: { query: '' } },
  createWebhook: {
    ids: ['projectId'],
    query: ofProject,
    body: () => ({
      url: RECEIVER,
      headers: '{"X-Secret":"s3cret"}',
      hookEvents: ['RUN_FINISH'],
      label: 'CI',
      signed: false,
    }),
    bad: { body: { url: 'ftp://receiver.invalid' } },
  },
  getWebhook: { ids: ['hookId'] },
  updateWebhook: { ids: ['hookId'], body: () => ({ label: 'Chat' }), bad: { body: {} } },
  deleteWebhook: { ids: ['doomedHookId'], at: { hookId: 'doomedHookId' }, once: true },
  listDeliveries: { ids: ['hookId'], needs: ['deliveryId'], bad: { query: 'limit=51' } },
  testWebhook: { ids: ['hookId'] },
  redeliver: { ids: ['hookId', 'deliveryId'] },
  rotateWebhookSecret: { ids: ['hookId'] },
  deleteWebhookSecret: { ids: ['hookId'] },
};

const deliveryIdOf = ({ number, createdAt }: { number: number; createdAt: number }): string =>
  `msg_${encodeInstant(createdAt)}${number.toString(16).padStart(24, '0')}`;

/** A stored webhook for all events. `more` replaces properties. */
export const webhookItem = (
  { organizationId, projectId, hookId }: Pick<Webhook, 'organizationId' | 'projectId' | 'hookId'>,
  more: Partial<Webhook> = {},
): Webhook => ({
  organizationId,
  projectId,
  hookId,
  url: RECEIVER,
  headers: null,
  hookEvents: [],
  label: null,
  createdAt: Date.now(),
  updatedAt: Date.now(),
  secrets: [],
  failures: 0,
  ...more,
});

/** A stored delivery that succeeded. `more` replaces properties. */
export function deliveryItem(
  { organizationId, projectId, hookId }: Pick<Delivery, 'organizationId' | 'projectId' | 'hookId'>,
  { number, createdAt, ...more }: { readonly number: number; readonly createdAt: number } & Partial<Delivery>,
): Delivery {
  return {
    organizationId,
    projectId,
    hookId,
    deliveryId: deliveryIdOf({ number, createdAt }),
    event: 'RUN_FINISH',
    test: false,
    runId: '0123456789abcdef',
    groupId: null,
    body: '{"event":"RUN_FINISH"}',
    status: 'delivered',
    attemptsMade: 1,
    retry: 0,
    attempts: [{ at: createdAt, latencyMs: 12, statusCode: 204, error: null, answer: '' }],
    createdAt,
    expiresAt: Math.floor(createdAt / 1000) + 30 * 86_400,
    ...more,
  };
}
