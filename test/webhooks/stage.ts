/**
 * Creates a project in which tests create webhooks and deliveries. A list replaces the queue, because the messages of a
 * real queue cannot be inspected.
 */

import type { QueuedMessage } from '#shared/engine/outbox/message-queue.ts';
import { dueDeliveries } from '#shared/model/due.ts';
import { type Delivery, deliveries } from '#shared/model/events/delivery.ts';
import type { RunEnded } from '#shared/model/events/domain-event.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import { type Webhook, webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import type { PrivateReceivers } from '#shared/services.ts';
import { deliverToWebhook } from '#shared/webhooks/deliver-with-slot.ts';
import { fanOutWebhooks } from '#shared/webhooks/fan-out.ts';
import { service } from '#test/harness/service.ts';

export type Stage = Awaited<ReturnType<typeof stage>>;

export function runEvent(
  of: Pick<RunEnded, 'organizationId' | 'projectId'>,
  changes: Partial<RunEnded> = {},
): RunEnded {
  const commit = { sha: 'abc', branch: 'main', authorName: null, authorEmail: null, message: null };
  return {
    type: 'RunEnded',
    version: 1,
    ending: 'finish',
    organizationId: of.organizationId,
    projectId: of.projectId,
    runId: crypto.randomUUID(),
    runCreatedAt: Date.now() - 60_000,
    occurredAt: Date.now(),
    groupId: 'default',
    hasSeveralGroups: false,
    ciBuildId: 'build 1',
    tags: ['smoke'],
    commit: { ...commit, remoteOrigin: null, defaultBranch: null },
    counters: { overall: 3, passes: 2, failures: 1, pending: 0, skipped: 0, retries: 0, flaky: 0 },
    status: 'FAILED',
    ...changes,
  };
}

export async function stage() {
  const tenant = await service();
  const { table } = tenant.services;
  const sent: QueuedMessage<DeliveryJob>[] = [];
  const queue = { send: async (jobs: readonly QueuedMessage<DeliveryJob>[]) => void sent.push(...jobs) };
  const services = { ...tenant.services, privateReceivers: 'machine' as PrivateReceivers, queue };
  const { organizationId, projectId } = tenant;
  const webhook = async (changes: Partial<Webhook> = {}): Promise<Webhook> => {
    const hookId = crypto.randomUUID();
    const now = Date.now();
    const ids = { organizationId, projectId, hookId };
    const settings = { url: 'http://127.0.0.1:9/', headers: null, hookEvents: [], label: null, secrets: [] };
    const made = { ...ids, ...settings, createdAt: now, updatedAt: now, failures: 0, ...changes };
    await Promise.all([table.put(webhooks, made), table.put(webhooksOfProject, made)]);
    return made;
  };
  /** Creates a delivery of a run event to this webhook, with these changed properties. */
  const delivery = async (to: Webhook, changes: Partial<Delivery> = {}): Promise<Delivery> => {
    await fanOutWebhooks(runEvent(to), services);
    const job = sent.findLast(({ message: { hookId } }) => hookId === to.hookId)?.message;
    if (!job) throw new Error('The webhook is not subscribed to this event');
    sent.length = 0;
    const made = { ...(await deliveryNow(job)), ...changes };
    await table.put(deliveries, made);
    return made;
  };
  /** Creates one delivery per webhook of the project, all of the same event. */
  const deliveriesOf = async (of: Webhook): Promise<Delivery[]> => {
    await fanOutWebhooks(runEvent(of), services);
    return Promise.all(sent.splice(0).map(({ message }) => deliveryNow(message)));
  };
  const deliveryNow = async (of: Pick<DeliveryJob, 'organizationId' | 'hookId' | 'deliveryId'>): Promise<Delivery> => {
    const found = await table.get(deliveries, of, { consistent: true });
    if (!found) throw new Error('Delivery not found');
    return found;
  };
  const webhookNow = (of: Pick<Webhook, 'organizationId' | 'hookId'>) => table.get(webhooks, of, { consistent: true });
  const due = async () => {
    const shards = Array.from({ length: 8 }, (_, shard) => dueDeliveries.span(shard, Date.now() + 10 ** 10));
    const rows = await Promise.all(shards.map((span) => table.queryAll(dueDeliveries, span, { consistent: true })));
    return rows.flat().filter((row) => row.organizationId === organizationId);
  };
  const attempt = (of: Delivery, on = services) => deliverToWebhook(jobOf(of), on);
  return { ...tenant, services, sent, webhook, delivery, deliveriesOf, deliveryNow, webhookNow, due, attempt };
}

export const jobOf = ({ organizationId, hookId, deliveryId, attemptsMade }: Delivery): DeliveryJob => ({
  organizationId,
  hookId,
  deliveryId,
  attempt: attemptsMade,
});
