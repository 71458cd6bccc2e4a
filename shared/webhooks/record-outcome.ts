/** §6 Records the outcome of an attempt, for its delivery and for its receiver. */

import { OUTBOX_LIMITS } from '#shared/engine/outbox/limits.ts';
import type { DeliveryState } from '#shared/model/delivery.ts';
import type { DeliveryJob } from '#shared/model/outbox-content.ts';
import type { Receiver } from '#shared/model/receiver.ts';
import type { Services } from '#shared/services.ts';
import type { Sent, SpecialOutcome } from './line.ts';
import { type Admission, disable, type Health, noteFailure, noteSuccess, pauseUntil } from './receiver.ts';
import { deliveryJob, end, type Log, postpone } from './record-attempt.ts';
import { nextAttemptAt } from './retry.ts';

type Recording<R extends Receiver, D extends DeliveryState> = Health<R> & Log<D> & Pick<Services, 'now'>;

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

/** Records the attempt first. After an interruption the record shows what is left to do; without a record, the attempt is repeated. */
export async function recordOutcome<R extends Receiver, D extends DeliveryState>(
  at: Recording<R, D>,
  attempted: Attempted<R, D>,
): Promise<Recorded> {
  const { sent, receiver, delivery } = attempted;
  switch (sent.outcome) {
    case 'delivered': {
      const done = await end(at, delivery, 'delivered', sent.attempt);
      await noteSuccess(at, receiver);
      return done ? { outcome: 'delivered', delivered: 1 } : SUPERSEDED;
    }
    case 'pointless': {
      const done = await end(at, delivery, 'dropped', sent.attempt);
      await noteSuccess(at, receiver);
      return done ? { outcome: 'pointless' } : SUPERSEDED;
    }
    case 'gone':
    case 'refused': {
      const done = await end(at, delivery, 'dropped', sent.attempt);
      const problem = sent.outcome === 'refused' ? { problem: sent.problem } : {};
      await disable(at, receiver, { at: at.now(), reason: sent.outcome, ...problem });
      return done ? { outcome: sent.outcome, failed: 1, disabled: 1 } : SUPERSEDED;
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
  const done = await (next === undefined
    ? end(at, delivery, 'exhausted', sent.attempt)
    : postpone(at, delivery, sent.attempt, waits));
  if (!done) return SUPERSEDED;
  const isDisabled = await noteFailure(at, receiver, admission, now);
  if (sent.pauses && next !== undefined) await pauseUntil(at, receiver, next);
  return {
    ...(next === undefined ? { outcome: 'exhausted', exhausted: 1 } : { outcome: 'failed' }),
    ...(isDisabled ? { disabled: 1 } : {}),
    failed: 1,
    ...(next !== undefined && !waits.isLong
      ? { nextJob: { job: deliveryJob(delivery, delivery.attemptsMade + 1), at: next } }
      : {}),
  };
}

/** A duplicate of this job was completed by another call. */
const SUPERSEDED: Recorded = { outcome: 'superseded' };
