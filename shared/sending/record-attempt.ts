/** §6 Records attempts. Each update is conditional on the next attempt number, so no attempt counts twice. */
import type { Correlation } from '#shared/engine/correlation.ts';
import type { Entity } from '#shared/engine/table/entity.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { Again, retryOptimisticallyFrom } from '#shared/engine/table/optimistic.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Changes, Condition } from '#shared/engine/table/update.ts';
import { put, update, type Write } from '#shared/engine/table/writes.ts';
import type { DueDelivery, DueIndex } from '#shared/model/due.ts';
import type { DeliveryAttempt, DeliveryKey, DeliveryState, DeliveryStatus } from '#shared/model/events/delivery.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import type { Receiver } from '#shared/model/events/receiver.ts';
import { SENDING_LIMITS } from './limits.ts';
import { toDeliveryJob } from './queue-deliveries.ts';
import { type ComputeEffect, isSame, type ReceiverStore, whileSame } from './receiver-store.ts';

/** Where deliveries are stored, and the index that schedules attempts after a long delay. */
export type DeliveryLog<D extends DeliveryState> = WithTable & {
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

export interface AttemptTarget<R extends Receiver, D extends DeliveryState> {
  readonly receiver: R;
  readonly delivery: D;
}

interface DeliveryUpdate {
  /** The changes to the row of the delivery. */
  readonly changes: Changes;
  /** The row that schedules the next attempt, if the delay is too long for a queue. */
  readonly due?: DueDelivery | undefined;
}

/**
 * One transaction. After a crash between two writes, the repeated job could not know whether the effect was stored, and
 * might count a failure twice. Returns `undefined` if another call has changed the delivery.
 */
export async function recordAttempt<R extends Receiver, D extends DeliveryState>(
  store: ReceiverStore<R> & DeliveryLog<D>,
  { receiver, delivery }: AttemptTarget<R, D>,
  { changes, due }: DeliveryUpdate,
  computeEffect: ComputeEffect<R>,
): Promise<{ readonly disables: boolean } | undefined> {
  const { table, receivers, deliveries } = store;
  const when = whileNext(delivery);
  return retryOptimisticallyFrom<R | undefined, { readonly disables: boolean } | undefined>(
    'delivery',
    receiver,
    async (currentReceiver) => {
      const effect = currentReceiver && isSame(currentReceiver, receiver) ? computeEffect(currentReceiver) : undefined;
      const others: Write[] = [];
      if (due) others.push(put(store.due, due));
      if (currentReceiver && effect) {
        others.push(update(receivers, currentReceiver, effect.changes, whileSame(currentReceiver)));
        if (effect.disables !== undefined) others.push(...(await store.planFailure(currentReceiver, effect.disables)));
      }
      const isRecorded =
        others.length === 0
          ? (await table.update(deliveries, delivery, changes, when)).done
          : await table.transact([update(deliveries, delivery, changes, when), ...others]);
      if (isRecorded) return { disables: effect?.disables !== undefined };
      const receiverLookup = makeLookup(receivers, receiver);
      const deliveryLookup = makeLookup(deliveries, delivery);
      const rows = await table.getTogether([receiverLookup, deliveryLookup], { consistent: true });
      return isNext(rows.of(deliveryLookup), delivery.attemptsMade) ? new Again(rows.of(receiverLookup)) : undefined;
    },
  );
}

export async function dropDelivery<D extends DeliveryState>(
  { table, deliveries }: DeliveryLog<D>,
  delivery: D,
): Promise<void> {
  await table.update(deliveries, delivery, makeEndChanges('dropped'), whileNext(delivery));
}

const makeEndChanges = (status: Exclude<DeliveryStatus, 'pending'>) =>
  ({ set: [['status', status]], remove: ['nextAttemptAt'] }) as const satisfies Changes;

export function planLastAttempt(
  delivery: DeliveryState,
  attempt: DeliveryAttempt,
  status: Exclude<DeliveryStatus, 'pending'>,
): DeliveryUpdate {
  const { set, remove } = makeEndChanges(status);
  return { changes: { set: [...set, ...toAttemptEntries(delivery, attempt)], remove } };
}

/** Schedules the next attempt. A short delay uses the queue; a long one (`isLong`) uses a row of the due index. */
export function planNextAttempt(
  delivery: DeliveryState,
  attempt: DeliveryAttempt,
  { nextAttemptAt, isLong, ...cause }: Correlation & { readonly nextAttemptAt: number; readonly isLong: boolean },
): DeliveryUpdate {
  const set = [
    ...toAttemptEntries(delivery, attempt),
    ['nextAttemptAt', nextAttemptAt],
    ['retry', delivery.retry + 1],
  ] as const;
  return { changes: { set }, due: isLong ? { ...makeNextJob(delivery, cause), dueAt: nextAttemptAt } : undefined };
}

/** The job for the attempt after the current one, which is not recorded in `delivery` yet. */
export const makeNextJob = (delivery: DeliveryState, cause: Correlation): DeliveryJob =>
  toDeliveryJob({ ...delivery, attemptsMade: delivery.attemptsMade + 1 }, cause);

const toAttemptEntries = ({ attempts, attemptsMade }: DeliveryState, attempt: DeliveryAttempt) =>
  [
    ['attempts', [...attempts, attempt].slice(-SENDING_LIMITS.attemptsPerDelivery)],
    ['attemptsMade', attemptsMade + 1],
  ] as const;
