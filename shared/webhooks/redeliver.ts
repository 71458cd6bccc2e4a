/** §6 Sends a delivery again, with the same id and body and a new set of retries. */

import type * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { expectSameValues, toAssignments } from '#shared/engine/table/update.ts';
import { check, update } from '#shared/engine/table/writes.ts';
import { type Delivery, deliveries } from '#shared/model/events/delivery.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { computeDeliveryExpiry, planDeliveryJob } from '#shared/sending/queue-deliveries.ts';
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
    const newState = {
      status: 'pending',
      retry: 0,
      nextAttemptAt: now(),
      expiresAt: computeDeliveryExpiry(now(), WEBHOOK_LIMITS.deliveryDays),
    } as const;
    const restartedDelivery = { ...delivery, ...newState };
    // Fails if another redelivery or an attempt came first.
    const isUnchanged = expectSameValues(delivery, 'attemptsMade', 'nextAttemptAt');
    return {
      result: presentDelivery(restartedDelivery),
      writes: [
        check(webhooks, webhook, ENABLED),
        update(deliveries, delivery, { set: toAssignments(newState) }, isUnchanged),
        planDeliveryJob(services, 'delivery', restartedDelivery),
      ],
      inProject: webhook,
      record: { action: 'delivery repeated', detail: `${delivery.event}, delivery ${delivery.deliveryId}` },
    };
  });
}

/** Due with its job still in the queue, so that a redelivery would send twice. If long overdue, its job was lost. */
function isUnderWay({ status, createdAt, nextAttemptAt = createdAt }: Delivery, now: number): boolean {
  const overdueMilliseconds = now - nextAttemptAt;
  return status === 'pending' && overdueMilliseconds >= 0 && overdueMilliseconds < WEBHOOK_LIMITS.lostJobMilliseconds;
}
