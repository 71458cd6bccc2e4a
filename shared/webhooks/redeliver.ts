/** §6 Sends a delivery again by hand: the same id and body, and the schedule of retries from its beginning. */
import type * as z from 'zod';
import { notFound, webhookDisabled } from '../errors.ts';
import { deliveries, type Delivery as Stored } from '../resources/delivery.ts';
import { webhooks } from '../resources/webhook.ts';
import type { Administration } from '../services.ts';
import { check, update } from '../table/writes.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';
import { changeWebhook, ENABLED, type Of } from './change-webhook.ts';
import { type Delivery, presentDelivery } from './delivery-wire.ts';
import { expiryOf, isExpired, orderWrite } from './order.ts';

export function redeliver(
  services: Administration,
  of: Of & { readonly deliveryId: string },
): Promise<z.infer<typeof Delivery>> {
  const { table, now } = services;
  return changeWebhook(services, of, async (webhook) => {
    const delivery = await table.get(deliveries, of, { consistent: true });
    if (!delivery || isExpired(delivery, now())) throw notFound('Delivery');
    if (webhook.disabled) throw webhookDisabled();
    if (isUnderWay(delivery, now())) return { result: presentDelivery(delivery), writes: [] };
    const again: Stored = {
      ...delivery,
      status: 'pending',
      retry: 0,
      nextAttemptAt: now(),
      expiresAt: expiryOf(now()),
    };
    const writes = [check(webhooks, webhook, ENABLED), againWrite(delivery, again), orderWrite(services, again)];
    return { result: presentDelivery(again), writes };
  });
}

/**
 * Its order was given a moment ago, and a second one would send it twice. One that waits for its next attempt is brought
 * forward; one that nothing became of for long lost its order.
 */
function isUnderWay({ status, createdAt, nextAttemptAt = createdAt }: Stored, now: number): boolean {
  const late = now - nextAttemptAt;
  return status === 'pending' && late >= 0 && late < WEBHOOK_LIMITS.lostOrderMilliseconds;
}

/** On condition that nobody else sent it again, and that no attempt was made meanwhile. */
const againWrite = (delivery: Stored, again: Stored) =>
  update(
    deliveries,
    delivery,
    {
      set: [
        ['status', again.status],
        ['retry', again.retry],
        ['nextAttemptAt', again.nextAttemptAt ?? null],
        ['expiresAt', again.expiresAt],
      ],
    },
    {
      all: [
        { path: 'attemptsMade', equals: delivery.attemptsMade },
        delivery.nextAttemptAt === undefined
          ? { absent: 'nextAttemptAt' }
          : { path: 'nextAttemptAt', equals: delivery.nextAttemptAt },
      ],
    },
  );
