/** §6 Records the outcome of an attempt, for its delivery and for its receiver. */

import { OUTBOX_LIMITS } from '#shared/engine/outbox/limits.ts';
import type { DeliveryState } from '#shared/model/events/delivery.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import type { Receiver } from '#shared/model/events/receiver.ts';
import type { Services } from '#shared/services.ts';
import type { Sent, SpecialOutcome } from './delivery-channel.ts';
import { type Admission, disabledBy, failedBy, type ReceiverStore, successful } from './receiver-store.ts';
import { deliveryJob, type Log, lastAttempt, postponed, record } from './record-attempt.ts';
import { nextAttemptAt } from './retry.ts';

type Recording<R extends Receiver, D extends DeliveryState> = ReceiverStore<R> & Log<D> & Pick<Services, 'now'>;

interface Attempted<R extends Receiver, D extends DeliveryState> {
  readonly sent: Sent | Exclude<SpecialOutcome, { readonly outcome: 'busy' }>;
  readonly receiver: R;
  readonly delivery: D;
  readonly admission: Admission;
}

interface Recorded {
  readonly outcome: string;
  /** The job of the next attempt, if the queue holds it. */
  readonly nextJob?: { readonly job: DeliveryJob; readonly at: number };
  readonly [metric: string]: unknown;
}

export const isLong = (milliseconds: number): boolean => milliseconds > OUTBOX_LIMITS.delaySeconds * 1000;

/**
 * Records the attempt before anything else. After an interruption the record shows what is left to do; without a
 * record, the attempt is repeated.
 */
export async function recordOutcome<R extends Receiver, D extends DeliveryState>(
  at: Recording<R, D>,
  attempted: Attempted<R, D>,
): Promise<Recorded> {
  const { sent, delivery } = attempted;
  switch (sent.outcome) {
    case 'delivered':
      return (await record(at, attempted, lastAttempt(delivery, sent.attempt, 'delivered'), successful))
        ? { outcome: 'delivered', delivered: 1 }
        : SUPERSEDED;
    case 'pointless':
      return (await record(at, attempted, lastAttempt(delivery, sent.attempt, 'dropped'), successful))
        ? { outcome: 'pointless' }
        : SUPERSEDED;
    case 'gone':
    case 'refused': {
      const problem = sent.outcome === 'refused' ? { problem: sent.problem } : {};
      const effect = disabledBy({ at: at.now(), reason: sent.outcome, ...problem });
      const recorded = await record(at, attempted, lastAttempt(delivery, sent.attempt, 'dropped'), effect);
      return recorded ? { outcome: sent.outcome, failed: 1, ...disabledIf(recorded) } : SUPERSEDED;
    }
    case 'failed':
      return recordFailure(at, { ...attempted, sent });
  }
}

async function recordFailure<R extends Receiver, D extends DeliveryState>(
  at: Recording<R, D>,
  {
    sent,
    receiver,
    delivery,
    admission,
  }: Attempted<R, D> & { readonly sent: Extract<Sent, { readonly outcome: 'failed' }> },
): Promise<Recorded> {
  const now = at.now();
  const next = nextAttemptAt({ retry: delivery.retry, now, retryAfter: sent.retryAfter, random: Math.random() });
  const waits = { nextAttemptAt: next ?? now, isLong: isLong((next ?? now) - now) };
  const result =
    next === undefined ? lastAttempt(delivery, sent.attempt, 'exhausted') : postponed(delivery, sent.attempt, waits);
  const effect = failedBy({ admission, now, pausedUntil: sent.pauses ? next : undefined });
  const recorded = await record(at, { receiver, delivery }, result, effect);
  if (!recorded) return SUPERSEDED;
  return {
    ...(next === undefined ? { outcome: 'exhausted', exhausted: 1 } : { outcome: 'failed' }),
    ...disabledIf(recorded),
    failed: 1,
    ...(next !== undefined && !waits.isLong
      ? { nextJob: { job: deliveryJob(delivery, delivery.attemptsMade + 1), at: next } }
      : {}),
  };
}

const disabledIf = ({ disables }: { readonly disables: boolean }) => (disables ? { disabled: 1 } : {});

/** A duplicate of this job was completed by another call. */
const SUPERSEDED: Recorded = { outcome: 'superseded' };
