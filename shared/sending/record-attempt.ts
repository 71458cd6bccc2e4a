/** §6 Records attempts. Each update is conditional on the next attempt number, so no attempt counts twice. */

import type { Entity } from '#shared/engine/table/entity.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Changes, Condition } from '#shared/engine/table/update.ts';
import { put, update } from '#shared/engine/table/writes.ts';
import type { DueDelivery, DueIndex } from '#shared/model/due.ts';
import type { DeliveryAttempt, DeliveryKey, DeliveryState, DeliveryStatus } from '#shared/model/events/delivery.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import type { Receiver } from '#shared/model/events/receiver.ts';
import { SENDING_LIMITS } from './limits.ts';
import { deliveryJob } from './queue-deliveries.ts';
import { type EffectOn, isSame, type ReceiverStore, whileSame } from './receiver-store.ts';

/** Where deliveries are stored, and the index that schedules attempts after a long delay. */
export type Log<D extends DeliveryState> = WithTable & {
  readonly deliveries: Entity<DeliveryKey, D>;
  readonly due: DueIndex<DueDelivery>;
};

/** Whether the attempt with this number is the next one of the delivery. */
export const isNext = <D extends DeliveryState>(delivery: D | undefined, attempt: number): delivery is D =>
  delivery?.status === 'pending' && delivery.attemptsMade === attempt;

const whileNext = ({ attemptsMade }: DeliveryState): Condition => ({
  all: [
    { path: 'attemptsMade', equals: attemptsMade },
    { path: 'status', equals: 'pending' },
  ],
});

export interface Attempted<R extends Receiver, D extends DeliveryState> {
  readonly receiver: R;
  readonly delivery: D;
}

interface Result {
  /** The changes to the row of the delivery. */
  readonly changes: Changes;
  /** The row that schedules the next attempt, if the delay is too long for a queue. */
  readonly due?: DueDelivery | undefined;
}

/**
 * Records an attempt and its effect on the receiver, in one transaction. After a crash between two separate writes, the
 * repeated job could not know whether the effect was already stored, and might count a failure twice. Returns
 * `undefined` if another call has changed the delivery.
 */
export async function record<R extends Receiver, D extends DeliveryState>(
  at: ReceiverStore<R> & Log<D>,
  { receiver, delivery }: Attempted<R, D>,
  { changes, due }: Result,
  effectOn: EffectOn<R>,
): Promise<{ readonly disables: boolean } | undefined> {
  const { table, receivers, deliveries } = at;
  const when = whileNext(delivery);
  const result = { isRecorded: false, disables: false };
  let current: R | undefined = receiver;
  await retryOptimistically('delivery', async () => {
    const effect = current && isSame(current, receiver) ? effectOn(current) : undefined;
    const others = [
      ...(due ? [put(at.due, due)] : []),
      ...(current && effect ? [update(receivers, current, effect.changes, whileSame(current))] : []),
    ];
    result.disables = effect?.disables === true;
    result.isRecorded =
      others.length === 0
        ? (await table.update(deliveries, delivery, changes, when)).done
        : await table.transact([update(deliveries, delivery, changes, when), ...others]);
    if (result.isRecorded) return true;
    const wantedReceiver = makeLookup(receivers, receiver);
    const wantedDelivery = makeLookup(deliveries, delivery);
    const found = await table.getTogether([wantedReceiver, wantedDelivery], { consistent: true });
    current = found.of(wantedReceiver);
    return !isNext(found.of(wantedDelivery), delivery.attemptsMade);
  });
  return result.isRecorded ? result : undefined;
}

/** Drops the delivery without an attempt. */
export async function drop<D extends DeliveryState>({ table, deliveries }: Log<D>, delivery: D): Promise<void> {
  await table.update(deliveries, delivery, ended('dropped'), whileNext(delivery));
}

const ended = (status: Exclude<DeliveryStatus, 'pending'>) =>
  ({ set: [['status', status]], remove: ['nextAttemptAt'] }) as const satisfies Changes;

/** The changes that record the last attempt of a delivery. */
export function lastAttempt(
  delivery: DeliveryState,
  attempt: DeliveryAttempt,
  status: Exclude<DeliveryStatus, 'pending'>,
): Result {
  const { set, remove } = ended(status);
  return { changes: { set: [...set, ...withAttempt(delivery, attempt)], remove } };
}

/** Schedules the next attempt. A short delay uses the queue; a long one (`isLong`) uses a row of the due index. */
export function postponed(
  delivery: DeliveryState,
  attempt: DeliveryAttempt,
  { nextAttemptAt, isLong }: { readonly nextAttemptAt: number; readonly isLong: boolean },
): Result {
  const set = [
    ...withAttempt(delivery, attempt),
    ['nextAttemptAt', nextAttemptAt],
    ['retry', delivery.retry + 1],
  ] as const;
  return { changes: { set }, due: isLong ? { ...jobAfter(delivery), dueAt: nextAttemptAt } : undefined };
}

/** The job for the attempt after the current one, which is not recorded in `delivery` yet. */
export const jobAfter = (delivery: DeliveryState): DeliveryJob =>
  deliveryJob({ ...delivery, attemptsMade: delivery.attemptsMade + 1 });

const withAttempt = ({ attempts, attemptsMade }: DeliveryState, attempt: DeliveryAttempt) =>
  [
    ['attempts', [...attempts, attempt].slice(-SENDING_LIMITS.attemptsPerDelivery)],
    ['attemptsMade', attemptsMade + 1],
  ] as const;
