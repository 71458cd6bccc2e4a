/** §6 Stores the outcome of an attempt, and says what is left to do. */

import { type Correlation, pickCorrelation } from '#shared/engine/correlation.ts';
import type { DeliveryState } from '#shared/model/events/delivery.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import type { Receiver } from '#shared/model/events/receiver.ts';
import type { Services } from '#shared/services.ts';
import type { SendOutcome, SpecialOutcome } from './delivery-channel.ts';
import {
  type Admission,
  type ComputeEffect,
  computeSuccessEffect,
  makeDisablingEffect,
  makeFailureEffect,
  type ReceiverStore,
} from './receiver-store.ts';
import {
  type AttemptTarget,
  type DeliveryLog,
  makeNextJob,
  planLastAttempt,
  planNextAttempt,
  recordAttempt,
} from './record-attempt.ts';
import { computeNextAttemptAt, isLongDelay } from './retry-times.ts';

type RecordingStore<R extends Receiver, D extends DeliveryState> = ReceiverStore<R> &
  DeliveryLog<D> &
  Pick<Services, 'now'> &
  Correlation;

interface AttemptOutcome<R extends Receiver, D extends DeliveryState> extends AttemptTarget<R, D> {
  readonly sent: SendOutcome | Exclude<SpecialOutcome, { readonly outcome: 'busy' }>;
  readonly admission: Admission;
}

type FailedOutcome = Extract<SendOutcome, { readonly outcome: 'failed' }>;
type FinalOutcome = Exclude<AttemptOutcome<Receiver, DeliveryState>['sent'], FailedOutcome>;

/** Fields of the log, and what is left to do. */
interface OutcomeEntry {
  readonly outcome: string;
  /** The job for the next attempt, if it goes directly to the queue. */
  readonly nextJob?: { readonly job: DeliveryJob; readonly at: number };
  readonly [metric: string]: unknown;
}

/** What the log counts of the attempt. An absent metric counts nothing. */
interface Metrics {
  delivered?: 1;
  failed?: 1;
  disabled?: 1;
}

/** The outcome is stored before the next job is queued. If the call is killed in between, the repeated job finds it. */
export async function recordOutcome<R extends Receiver, D extends DeliveryState>(
  store: RecordingStore<R, D>,
  attemptOutcome: AttemptOutcome<R, D>,
): Promise<OutcomeEntry> {
  const { sent, delivery } = attemptOutcome;
  if (sent.outcome === 'failed') return recordFailure(store, { ...attemptOutcome, sent });
  const { outcome, attempt } = sent;
  const isDelivered = outcome === 'delivered';
  const isRefused = outcome === 'gone' || outcome === 'refused';
  const recording = await recordAttempt(
    store,
    attemptOutcome,
    planLastAttempt(delivery, attempt, isDelivered ? 'delivered' : 'dropped'),
    chooseEffect(sent, store.now()),
  );
  if (!recording) return SUPERSEDED;
  const metrics: Metrics = {};
  if (isDelivered) metrics.delivered = 1;
  if (isRefused) metrics.failed = 1;
  if (recording.disables) metrics.disabled = 1;
  return { outcome, ...metrics };
}

/** What an attempt that did not fail means for the receiver. */
function chooseEffect<R extends Receiver>(sent: FinalOutcome, at: number): ComputeEffect<R> {
  if (sent.outcome === 'gone') return makeDisablingEffect({ at, reason: 'gone' });
  if (sent.outcome === 'refused') return makeDisablingEffect({ at, reason: 'refused', problem: sent.problem });
  return computeSuccessEffect;
}

async function recordFailure<R extends Receiver, D extends DeliveryState>(
  store: RecordingStore<R, D>,
  { sent, receiver, delivery, admission }: AttemptOutcome<R, D> & { readonly sent: FailedOutcome },
): Promise<OutcomeEntry> {
  const now = store.now();
  const at = computeNextAttemptAt({ retry: delivery.retry, now, retryAfter: sent.retryAfter, random: Math.random() });
  const isLong = at !== undefined && isLongDelay(at - now);
  const result =
    at === undefined
      ? planLastAttempt(delivery, sent.attempt, 'exhausted')
      : planNextAttempt(delivery, sent.attempt, { ...pickCorrelation(store), nextAttemptAt: at, isLong });
  const effect = makeFailureEffect({ admission, now, pausedUntil: sent.pauses ? at : undefined });
  const recording = await recordAttempt(store, { receiver, delivery }, result, effect);
  if (!recording) return SUPERSEDED;
  const metrics: Metrics = { failed: 1 };
  if (recording.disables) metrics.disabled = 1;
  if (at === undefined) return { outcome: 'exhausted', exhausted: 1, ...metrics };
  if (isLong) return { outcome: 'failed', ...metrics };
  return { outcome: 'failed', ...metrics, nextJob: { job: makeNextJob(delivery, store), at } };
}

/** Another call has already completed a duplicate of this job. */
const SUPERSEDED: OutcomeEntry = { outcome: 'superseded' };
