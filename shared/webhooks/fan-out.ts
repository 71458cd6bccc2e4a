/** §6 One event to the webhooks of its project: a delivery each, which goes its own way from here on. */

import type { DeliveryQueue } from '../outbound/delivery-queue.ts';
import { type Delivery, deliveries, deliveryIdOf } from '../resources/delivery.ts';
import { type RunEvent, RunEventPayload } from '../resources/run-event.ts';
import { type Webhook, webhooks, webhooksOfProject, webhooksSpan } from '../resources/webhook.ts';
import type { Services } from '../services.ts';
import { ABSENT } from '../table/writes.ts';
import { expiryOf } from './order.ts';

type Sender = Pick<Services, 'table' | 'now'> & { readonly queue: Pick<DeliveryQueue, 'send'> };

/** Repeated, it makes nothing new, and sends again what was never attempted: its order may have been lost. */
export async function fanOut(event: RunEvent, { table, now, queue }: Sender): Promise<readonly object[]> {
  const listed = await table.queryAll(webhooksOfProject, webhooksSpan(event), { consistent: true });
  const found = await table.getMany(webhooks, listed, { consistent: true });
  const receivers = found
    .filter((webhook) => webhook !== undefined)
    .filter((webhook) => wants(webhook, event.payload.event));
  const outcomes = await Promise.all(
    receivers.map((webhook) => table.put(deliveries, deliveryOf(webhook, event, now()), ABSENT)),
  );
  const orders = outcomes
    .map((outcome) => (outcome.done ? outcome.item : outcome.existing))
    .filter((delivery) => delivery !== undefined)
    .filter(({ status, attemptsMade }) => status === 'pending' && attemptsMade === 0)
    .map(({ organizationId, hookId, deliveryId }) => ({ order: { organizationId, hookId, deliveryId, attempt: 0 } }));
  await queue.send(orders);
  const { runId, group, payload } = event;
  return [{ runId, group, event: payload.event, receivers: receivers.length, orders: orders.length }];
}

const wants = ({ hookEvents, disabled }: Webhook, event: RunEventPayload['event']): boolean =>
  !disabled && (hookEvents.length === 0 || hookEvents.includes(event));

function deliveryOf({ hookId }: Webhook, event: RunEvent, now: number): Delivery {
  const { organizationId, projectId, runId, payload } = event;
  return {
    organizationId,
    projectId,
    hookId,
    deliveryId: deliveryIdOf(hookId, event),
    event: payload.event,
    test: false,
    runId,
    groupId: payload.groupId ?? null,
    body: JSON.stringify(RunEventPayload.parse(payload)),
    status: 'pending',
    attemptsMade: 0,
    retry: 0,
    attempts: [],
    createdAt: now,
    expiresAt: expiryOf(now),
  };
}
