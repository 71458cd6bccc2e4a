/** §6 Queues due attempts of webhooks and notifications that had to wait longer than a queue can delay a message. */

import type { MessageQueue } from '#shared/engine/outbox/message-queue.ts';
import { processDueRows, type Sweep, type Time } from '#shared/engine/table/sweep.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { type DueDelivery, type DueIndex, dueDeliveries, dueNotifications } from '#shared/model/due.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import type { CoreServices } from '#shared/services.ts';

type Queue = Pick<MessageQueue<DeliveryJob>, 'send'>;

export async function retryAllDeliveries(
  { notifications, ...services }: CoreServices & { readonly queue: Queue; readonly notifications: Queue },
  time: Time,
): Promise<Sweep> {
  const first = await retryDeliveries(services, time, dueDeliveries);
  const second = await retryDeliveries({ ...services, queue: notifications }, time, dueNotifications);
  return {
    due: first.due + second.due,
    failed: first.failed + second.failed,
    lateSeconds: Math.max(first.lateSeconds, second.lateSeconds),
    finished: first.finished && second.finished,
  };
}

/** Queues a job before its row is removed. A second copy is ignored, because its attempt was already made. */
function retryDeliveries(
  services: CoreServices & { readonly queue: Queue },
  time: Time,
  index: DueIndex<DueDelivery>,
): Promise<Sweep> {
  const { table, queue } = services;
  return processDueRows(services, time, index, async (row) => {
    const { organizationId, hookId, deliveryId, attempt, correlationId = services.correlationId } = row;
    await queue.send([{ message: { organizationId, hookId, deliveryId, attempt, correlationId } }]);
    await table.writeMany([remove(index, row)]);
  });
}
