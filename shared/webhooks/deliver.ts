/** §6 One order to deliver: whether it is to be done now, the attempt, and what follows from it. Repeated, it does no harm. */
import * as z from 'zod';
import type { DeliveryQueue } from '../outbound/delivery-queue.ts';
import { type Delivery, deliveries } from '../resources/delivery.ts';
import type { DeliveryOrder } from '../resources/outbox.ts';
import { type Webhook, webhooks } from '../resources/webhook.ts';
import type { Services } from '../services.ts';
import { lookup } from '../table/found.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';
import type { Connections } from './connections.ts';
import type { Network } from './exchange.ts';
import { type Admission, admissionTo, disable, noteFailure, noteSuccess } from './receiver.ts';
import { end, isNext, orderOf, postpone } from './record-attempt.ts';
import { nextAttemptAt } from './retry.ts';
import { type Sent, send } from './send.ts';

type Sender = Pick<Services, 'table' | 'now'> &
  Network & {
    readonly queue: Pick<DeliveryQueue, 'send'>;
    /** What is kept open between deliveries; nothing is without them. */
    readonly connections?: Connections;
  };

export const Order = z.object({
  organizationId: z.string(),
  hookId: z.string(),
  deliveryId: z.string(),
  attempt: z.int().nonnegative(),
});

/** What is to be said of it in the log: ids and numbers, for what is sent and answered is the receiver's business. */
export async function deliver(order: DeliveryOrder, sender: Sender): Promise<readonly object[]> {
  const [wantedWebhook, wantedDelivery] = [lookup(webhooks, order), lookup(deliveries, order)];
  const found = await sender.table.getTogether([wantedWebhook, wantedDelivery], { consistent: true });
  const [webhook, delivery] = [found.of(wantedWebhook), found.of(wantedDelivery)];
  const noted = { ...order, ...(delivery ? { runId: delivery.runId, event: delivery.event } : {}) };
  if (!isNext(delivery, order.attempt)) return [{ ...noted, outcome: await passOver(order, delivery, sender) }];
  if (!webhook || webhook.disabled) {
    await end(sender, delivery, 'dropped');
    return [{ ...noted, outcome: 'dropped' }];
  }
  const now = sender.now();
  if ((delivery.nextAttemptAt ?? now) > now) {
    await sendAgain(order, delivery.nextAttemptAt, sender);
    return [{ ...noted, outcome: 'early' }];
  }
  const admission = await admissionTo(sender, webhook, now);
  if (admission.kind === 'waits') {
    await sendAgain(order, admission.until, sender);
    return [{ ...noted, outcome: 'paused' }];
  }
  const kept = sender.connections?.of(webhook.hookId, now);
  const sent = await send(messageOf(webhook, delivery, now), { ...sender, kept });
  const { latencyMs, statusCode } = sent.attempt;
  return [{ ...noted, latencyMs, statusCode, ...(await follow(sent, webhook, delivery, admission, sender)) }];
}

/** An order that is about no attempt to come says that something was interrupted, or that a queue gave it out twice. */
async function passOver({ attempt }: DeliveryOrder, delivery: Delivery | undefined, sender: Sender): Promise<string> {
  const { nextAttemptAt: next } = delivery ?? {};
  if (!delivery || next === undefined || !isNext(delivery, attempt + 1)) return 'stale';
  // The attempt was recorded, and its function may have ended before it sent the next order. A longer wait is in the table.
  if (isLong(next - sender.now())) return 'stale';
  await sendAgain(orderOf(delivery, delivery.attemptsMade), next, sender);
  return 'sentAgain';
}

/** No sooner than that, as far as a queue can wait; an order that comes too early is sent round again. */
async function sendAgain(order: DeliveryOrder, at = 0, { queue, now }: Sender): Promise<void> {
  const seconds = Math.ceil((at - now()) / 1000);
  await queue.send([{ order, delaySeconds: Math.min(Math.max(seconds, 0), WEBHOOK_LIMITS.outbound.delaySeconds) }]);
}

const isLong = (milliseconds: number): boolean => milliseconds > WEBHOOK_LIMITS.outbound.delaySeconds * 1000;

const messageOf = ({ url, headers, secrets }: Webhook, { deliveryId, body }: Delivery, now: number) => ({
  id: deliveryId,
  url,
  headers,
  body,
  secrets: secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now).map(({ value }) => value),
});

/** Recorded first: whoever is interrupted after that finds what is left to do, and whoever was before it attempts again. */
async function follow(
  sent: Sent,
  webhook: Webhook,
  delivery: Delivery,
  admission: Admission,
  sender: Sender,
): Promise<object> {
  const now = sender.now();
  const { attempt } = sent;
  if (sent.outcome === 'delivered') {
    const done = await end(sender, delivery, 'delivered', attempt);
    await noteSuccess(sender, webhook);
    return done ? { outcome: 'delivered', delivered: 1 } : SUPERSEDED;
  }
  if (sent.outcome === 'gone') {
    const done = await end(sender, delivery, 'dropped', attempt);
    await disable(sender, webhook, { at: now, reason: 'gone' });
    return done ? { outcome: 'gone', failed: 1, disabled: 1 } : SUPERSEDED;
  }
  const next = nextAttemptAt({ retry: delivery.retry, now, retryAfter: sent.retryAfter, random: Math.random() });
  const waits = { nextAttemptAt: next ?? now, isLong: isLong((next ?? now) - now) };
  const done = await (next === undefined
    ? end(sender, delivery, 'exhausted', attempt)
    : postpone(sender, delivery, attempt, waits));
  if (!done) return SUPERSEDED;
  const isDisabled = await noteFailure(sender, webhook, admission, now);
  if (next !== undefined && !waits.isLong) await sendAgain(orderOf(delivery, delivery.attemptsMade + 1), next, sender);
  return {
    ...(next === undefined ? { outcome: 'exhausted', exhausted: 1 } : { outcome: 'failed' }),
    ...(isDisabled ? { disabled: 1 } : {}),
    failed: 1,
  };
}

/** The same order, given out twice, was done elsewhere in the meantime. */
const SUPERSEDED = { outcome: 'superseded' };
