/** §6 Queues the delivery attempts that were due later than a queue can delay. */

import type { MessageQueue } from '#shared/engine/outbox/message-queue.ts';
import { type Sweep, sweep } from '#shared/engine/table/sweep.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { dueDeliveries } from '#shared/model/due.ts';
import type { DeliveryJob } from '#shared/model/outbox-content.ts';
import type { CoreServices } from '#shared/services.ts';

type Run = Parameters<typeof sweep>[1];

/** Sends each job before its row is removed. A duplicate job is harmless: it names an attempt that was already made. */
export function retryDeliveries(
  services: CoreServices & { readonly queue: MessageQueue<DeliveryJob> },
  run: Run,
): Promise<Sweep> {
  const { table, queue } = services;
  return sweep(services, run, dueDeliveries, {
    dueAt: (row) => row.dueAt,
    handle: async (row) => {
      const { organizationId, hookId, deliveryId, attempt } = row;
      await queue.send([{ message: { organizationId, hookId, deliveryId, attempt } }]);
      await table.writeMany([remove(dueDeliveries, row)]);
    },
  });
}
