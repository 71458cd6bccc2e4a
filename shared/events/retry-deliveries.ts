/** §6 Attempts to deliver that were too far away for a queue, put there when their time has come. */
import type { DeliveryQueue } from '../outbound/delivery-queue.ts';
import { dueDeliveries } from '../resources/due.ts';
import type { Administration } from '../services.ts';
import { type Sweep, sweep } from '../sweep.ts';
import { remove } from '../table/writes.ts';

type Run = Parameters<typeof sweep>[1];

/** Sent, then taken away: an order that is there twice is for the same attempt, and stale once that was made. */
export function retryDeliveries(
  services: Administration & { readonly queue: DeliveryQueue },
  run: Run,
): Promise<Sweep> {
  const { table, queue } = services;
  return sweep(services, run, dueDeliveries, {
    dueAt: (row) => row.dueAt,
    handle: async (row) => {
      const { organizationId, hookId, deliveryId, attempt } = row;
      await queue.send([{ order: { organizationId, hookId, deliveryId, attempt } }]);
      await table.writeMany([remove(dueDeliveries, row)]);
    },
  });
}
