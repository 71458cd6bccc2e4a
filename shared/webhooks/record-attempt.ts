/** §6 Records attempts. Each update is conditional on the next attempt number, so no attempt counts twice. */

import type { Entity } from '#shared/engine/table/entity.ts';
import { optimistically } from '#shared/engine/table/optimistic.ts';
import type { Changes, Condition } from '#shared/engine/table/update.ts';
import { put, update } from '#shared/engine/table/writes.ts';
import type { DeliveryAttempt, DeliveryKey, DeliveryState, DeliveryStatus } from '#shared/model/delivery.ts';
import type { DueDelivery, DueIndex } from '#shared/model/due.ts';
import type { DeliveryJob } from '#shared/model/outbox-content.ts';
import type { Services } from '#shared/services.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

/** The table with the rows of these deliveries. */
export type Log<D extends DeliveryState> = Pick<Services, 'table'> & {
  readonly deliveries: Entity<DeliveryKey, D>;
  readonly due: DueIndex<DueDelivery>;
};

/** Whether the delivery waits for the attempt with this number. */
export const isNext = <D extends DeliveryState>(delivery: D | undefined, attempt: number): delivery is D =>
  delivery?.status === 'pending' && delivery.attemptsMade === attempt;

const whileNext = ({ attemptsMade }: DeliveryState): Condition => ({
  all: [
    { path: 'attemptsMade', equals: attemptsMade },
    { path: 'status', equals: 'pending' },
  ],
});

/** Ends the delivery. Returns false if another call has changed it. */
export async function end<D extends DeliveryState>(
  { table, deliveries }: Log<D>,
  delivery: D,
  status: Exclude<DeliveryStatus, 'pending'>,
  attempt?: DeliveryAttempt,
): Promise<boolean> {
  const changes: Changes = {
    set: [['status', status], ...(attempt ? withAttempt(delivery, attempt) : [])],
    remove: ['nextAttemptAt'],
  };
  const { done } = await table.update(deliveries, delivery, changes, whileNext(delivery));
  return done;
}

/** Schedules the next attempt. A short delay uses the queue; a long one (`isLong`) uses a row of the due index. */
export async function postpone<D extends DeliveryState>(
  { table, deliveries, due: index }: Log<D>,
  delivery: D,
  attempt: DeliveryAttempt,
  { nextAttemptAt, isLong }: { nextAttemptAt: number; isLong: boolean },
): Promise<boolean> {
  const changes: Changes = {
    set: [...withAttempt(delivery, attempt), ['nextAttemptAt', nextAttemptAt], ['retry', delivery.retry + 1]],
  };
  const when = whileNext(delivery);
  if (!isLong) return (await table.update(deliveries, delivery, changes, when)).done;
  const due = put(index, { ...deliveryJob(delivery, delivery.attemptsMade + 1), dueAt: nextAttemptAt });
  let done = false;
  await optimistically('delivery', async () => {
    done = await table.transact([update(deliveries, delivery, changes, when), due]);
    return done || !isNext(await table.get(deliveries, delivery, { consistent: true }), delivery.attemptsMade);
  });
  return done;
}

export const deliveryJob = (
  { organizationId, hookId, deliveryId }: Omit<DeliveryJob, 'attempt'>,
  attempt: number,
): DeliveryJob => ({ organizationId, hookId, deliveryId, attempt });

const withAttempt = ({ attempts, attemptsMade }: DeliveryState, attempt: DeliveryAttempt) =>
  [
    ['attempts', [...attempts, attempt].slice(-WEBHOOK_LIMITS.attemptsPerDelivery)],
    ['attemptsMade', attemptsMade + 1],
  ] as const;
