/** §6 Sends a delivery again, with the same id and body and a new set of retries. */

import type * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { expectSameValues, toAssignments } from '#shared/engine/table/update.ts';
import { check, update } from '#shared/engine/table/writes.ts';
import { type Delivery, deliveries } from '#shared/model/events/delivery.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { deliveryExpiry, deliveryJobPut } from '#shared/sending/queue-deliveries.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeWebhook, ENABLED, type WebhookRef } from './change-webhook.ts';
import { type DeliveryWire, presentDelivery } from './delivery-wire.ts';
import { webhookDisabled } from './errors.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

export function redeliver(
  services: CoreServices,
  ref: WebhookRef & { readonly deliveryId: string },
): Promise<z.infer<typeof DeliveryWire>> {
  const { table, now } = services;
  return changeWebhook(services, ref, async (webhook) => {
    const delivery = await table.get(deliveries, ref, { consistent: true });
    if (!delivery) throw notFound('Delivery');
    if (webhook.disabled) throw webhookDisabled();
    if (isUnderWay(delivery, now())) return { result: presentDelivery(delivery) };
    const restarted = {
      status: 'pending',
      retry: 0,
      nextAttemptAt: now(),
      expiresAt: deliveryExpiry(now(), WEBHOOK_LIMITS.deliveryDays),
    } as const;
    const again = { ...delivery, ...restarted };
    // Fails if another redelivery or an attempt came first.
    const isUnchanged = expectSameValues(delivery, 'attemptsMade', 'nextAttemptAt');
    return {
      result: presentDelivery(again),
      writes: [
        check(webhooks, webhook, ENABLED),
        update(deliveries, delivery, { set: toAssignments(restarted) }, isUnchanged),
        deliveryJobPut(services, 'delivery', again),
      ],
      inProject: webhook,
      record: { action: 'delivery repeated', detail: `${delivery.event}, delivery ${delivery.deliveryId}` },
    };
  });
}

/**
 * Whether the delivery is due and its job is still in the queue, so that a redelivery would send the request twice. If
 * the delivery is long overdue, its job was lost.
 */
function isUnderWay({ status, createdAt, nextAttemptAt = createdAt }: Delivery, now: number): boolean {
  const late = now - nextAttemptAt;
  return status === 'pending' && late >= 0 && late < WEBHOOK_LIMITS.lostJobMilliseconds;
}
