/** §6 The history of a delivery: each change of it is conditional on being about its next attempt, so that none is counted twice. */

import { optimistically } from '../optimistic.ts';
import { type Delivery, type DeliveryAttempt, type DeliveryStatus, deliveries } from '../resources/delivery.ts';
import { dueDeliveries } from '../resources/due.ts';
import type { DeliveryOrder } from '../resources/outbox.ts';
import type { Services } from '../services.ts';
import type { Changes, Condition } from '../table/update.ts';
import { put, update } from '../table/writes.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';

type Table = Pick<Services, 'table'>;

/** Whether it is the attempt that this delivery waits for. */
export const isNext = (delivery: Delivery | undefined, attempt: number): delivery is Delivery =>
  delivery?.status === 'pending' && delivery.attemptsMade === attempt;

const whileNext = ({ attemptsMade }: Delivery): Condition => ({
  all: [
    { path: 'attemptsMade', equals: attemptsMade },
    { path: 'status', equals: 'pending' },
  ],
});

/** Nothing more is to happen to it. False: something else did already. */
export async function end(
  { table }: Table,
  delivery: Delivery,
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

/** It is to be attempted again at that time: by a message of the queue, or, where that is too long for one, by a row that is due then. */
export async function postpone(
  { table }: Table,
  delivery: Delivery,
  attempt: DeliveryAttempt,
  { nextAttemptAt, isLong }: { nextAttemptAt: number; isLong: boolean },
): Promise<boolean> {
  const changes: Changes = {
    set: [...withAttempt(delivery, attempt), ['nextAttemptAt', nextAttemptAt], ['retry', delivery.retry + 1]],
  };
  const when = whileNext(delivery);
  if (!isLong) return (await table.update(deliveries, delivery, changes, when)).done;
  const due = put(dueDeliveries, { ...orderOf(delivery, delivery.attemptsMade + 1), dueAt: nextAttemptAt });
  let done = false;
  await optimistically('delivery', async () => {
    done = await table.transact([update(deliveries, delivery, changes, when), due]);
    return done || !isNext(await table.get(deliveries, delivery, { consistent: true }), delivery.attemptsMade);
  });
  return done;
}

export const orderOf = (
  { organizationId, hookId, deliveryId }: Omit<DeliveryOrder, 'attempt'>,
  attempt: number,
): DeliveryOrder => ({ organizationId, hookId, deliveryId, attempt });

const withAttempt = ({ attempts, attemptsMade }: Delivery, attempt: DeliveryAttempt) =>
  [
    ['attempts', [...attempts, attempt].slice(-WEBHOOK_LIMITS.attemptsPerDelivery)],
    ['attemptsMade', attemptsMade + 1],
  ] as const;
