/** A project with webhooks and what is sent to them; the queue is a list where no queue of the service can show what it holds. */

import type { QueuedOrder } from '#shared/outbound/delivery-queue.ts';
import { type Delivery, deliveries } from '#shared/resources/delivery.ts';
import { dueDeliveries } from '#shared/resources/due.ts';
import type { DeliveryOrder } from '#shared/resources/outbox.ts';
import type { RunEvent } from '#shared/resources/run-event.ts';
import { type Webhook, webhooks, webhooksOfProject } from '#shared/resources/webhook.ts';
import type { PrivateReceivers } from '#shared/services.ts';
import { deliver } from '#shared/webhooks/deliver.ts';
import { fanOut } from '#shared/webhooks/fan-out.ts';
import { service } from '#test/harness/service.ts';

export type Stage = Awaited<ReturnType<typeof stage>>;

export function runEvent(
  of: Pick<RunEvent, 'organizationId' | 'projectId'>,
  changes: Partial<RunEvent> = {},
): RunEvent {
  const commit = { sha: 'abc', branch: 'main', authorName: null, authorEmail: null, message: null };
  return {
    organizationId: of.organizationId,
    projectId: of.projectId,
    runId: crypto.randomUUID(),
    runCreatedAt: Date.now() - 60_000,
    group: 'default',
    occurredAt: Date.now(),
    payload: {
      event: 'RUN_FINISH',
      runUrl: 'https://rundown.example/run/1',
      buildId: 'build 1',
      tags: ['smoke'],
      commit: { ...commit, remoteOrigin: null, defaultBranch: null },
      overall: 3,
      passes: 2,
      failures: 1,
      pending: 0,
      skipped: 0,
      retries: 0,
      flaky: 0,
    },
    ...changes,
  };
}

export async function stage() {
  const tenant = await service();
  const { table } = tenant.services;
  const sent: QueuedOrder[] = [];
  const queue = { send: async (orders: readonly QueuedOrder[]) => void sent.push(...orders) };
  const services = { ...tenant.services, privateReceivers: 'machine' as PrivateReceivers, queue };
  const { organizationId, projectId } = tenant;
  const webhook = async (changes: Partial<Webhook> = {}): Promise<Webhook> => {
    const [hookId, now] = [crypto.randomUUID(), Date.now()];
    const ids = { organizationId, projectId, hookId };
    const settings = { url: 'http://127.0.0.1:9/', headers: null, hookEvents: [], label: null, secrets: [] };
    const made = { ...ids, ...settings, createdAt: now, updatedAt: now, failures: 0, ...changes };
    await Promise.all([table.put(webhooks, made), table.put(webhooksOfProject, made)]);
    return made;
  };
  /** A delivery to it as the event makes it, with these changes. */
  const delivery = async (to: Webhook, changes: Partial<Delivery> = {}): Promise<Delivery> => {
    await fanOut(runEvent(to), services);
    const order = sent.findLast(({ order: { hookId } }) => hookId === to.hookId)?.order;
    if (!order) throw new Error('The webhook wants no such event');
    sent.length = 0;
    const made = { ...(await deliveryNow(order)), ...changes };
    await table.put(deliveries, made);
    return made;
  };
  const deliveryNow = async (
    of: Pick<DeliveryOrder, 'organizationId' | 'hookId' | 'deliveryId'>,
  ): Promise<Delivery> => {
    const found = await table.get(deliveries, of, { consistent: true });
    if (!found) throw new Error('The delivery is not there');
    return found;
  };
  const webhookNow = (of: Webhook) => table.get(webhooks, of, { consistent: true });
  const due = async () => {
    const shards = Array.from({ length: 8 }, (_, shard) => dueDeliveries.span(shard, Date.now() + 10 ** 10));
    const rows = await Promise.all(shards.map((span) => table.queryAll(dueDeliveries, span, { consistent: true })));
    return rows.flat().filter((row) => row.organizationId === organizationId);
  };
  const attempt = (of: Delivery, on = services) => deliver(orderOf(of), on);
  return { ...tenant, services, sent, webhook, delivery, deliveryNow, webhookNow, due, attempt };
}

export const orderOf = ({ organizationId, hookId, deliveryId, attemptsMade }: Delivery): DeliveryOrder => ({
  organizationId,
  hookId,
  deliveryId,
  attempt: attemptsMade,
});
