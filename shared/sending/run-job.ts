/** §6 Runs one delivery job. A repeated job sends the request again only if the outcome was not recorded. */

import { type Correlation, pickCorrelation } from '#shared/engine/correlation.ts';
import { OUTBOX_LIMITS } from '#shared/engine/outbox/limits.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import type { DeliveryState } from '#shared/model/events/delivery.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import type { Receiver } from '#shared/model/events/receiver.ts';
import type { Services } from '#shared/services.ts';
import type { DeliveryChannel, SendOutcome, SpecialOutcome } from './delivery-channel.ts';
import { SENDING_LIMITS } from './limits.ts';
import { type JobServices, toDeliveryJob } from './queue-deliveries.ts';
import {
  type Admission,
  computeSuccessEffect,
  makeDisablingEffect,
  makeFailureEffect,
  type ReceiverStore,
  requestAdmission,
} from './receiver-store.ts';
import {
  type AttemptTarget,
  type DeliveryLog,
  dropDelivery,
  isNext,
  makeNextJob,
  planLastAttempt,
  planNextAttempt,
  recordAttempt,
} from './record-attempt.ts';

/** Returns entries for the log: ids, numbers and fixed words, but never the content of a request or response. */
export async function runJob<R extends Receiver, D extends DeliveryState>(
  job: DeliveryJob,
  services: JobServices,
  channel: DeliveryChannel<R, D>,
): Promise<readonly object[]> {
  const store = { ...services, ...channel };
  const receiverLookup = makeLookup(channel.receivers, job);
  const deliveryLookup = makeLookup(channel.deliveries, job);
  const rows = await services.table.getTogether([receiverLookup, deliveryLookup], { consistent: true });
  const receiver = rows.of(receiverLookup);
  const delivery = rows.of(deliveryLookup);
  const logFields = { ...job, ...(delivery && { runId: delivery.runId, event: delivery.event }) };
  if (!isNext(delivery, job.attempt)) return [{ ...logFields, outcome: await handleStaleJob(job, delivery, services) }];
  const isOff = receiver?.disabled !== undefined && !(channel.testsWhileOff && delivery.test);
  if (!receiver || isOff) {
    await dropDelivery(store, delivery);
    return [{ ...logFields, outcome: 'dropped' }];
  }
  const now = services.now();
  if ((delivery.nextAttemptAt ?? now) > now) {
    await queueJobAt(job, delivery.nextAttemptAt, services);
    return [{ ...logFields, outcome: 'early' }];
  }
  const admission = await requestAdmission(store, receiver, now);
  if (admission.kind === 'waits') {
    await queueJobAt(job, admission.until, services);
    return [{ ...logFields, outcome: 'paused' }];
  }
  const sendOutcome = await channel.send(receiver, delivery, now);
  if (sendOutcome.outcome === 'busy') {
    await queueJobAt(job, sendOutcome.until, services);
    return [{ ...logFields, outcome: 'busy' }];
  }
  const { latencyMs, statusCode } = sendOutcome.attempt;
  // A probe has moved the end of the pause, so that no other call probes. The record must expect the moved end.
  const probedReceiver = admission.kind === 'probe' ? { ...receiver, pausedUntil: admission.claim } : receiver;
  const { nextJob, ...outcome } = await recordOutcome(store, {
    sent: sendOutcome,
    receiver: probedReceiver,
    delivery,
    admission,
  });
  if (nextJob) await queueJobAt(nextJob.job, nextJob.at, services);
  return [{ ...logFields, latencyMs, statusCode, ...outcome }];
}

/** Either the job is a duplicate, or an earlier call was interrupted. */
async function handleStaleJob(
  { attempt }: DeliveryJob,
  delivery: DeliveryState | undefined,
  services: JobServices,
): Promise<string> {
  const { nextAttemptAt: next } = delivery ?? {};
  if (!delivery || next === undefined || !isNext(delivery, attempt + 1)) return 'stale';
  // The earlier call may have ended after it recorded the attempt and before it queued the next job. A long delay needs
  // no job, because a row of the table schedules it.
  if (isLong(next - services.now())) return 'stale';
  await queueJobAt(toDeliveryJob(delivery, services), next, services);
  return 'sentAgain';
}

/** If the queue cannot delay the job for that long, it arrives too early and is queued again. */
async function queueJobAt(job: DeliveryJob, at = 0, { queue, now }: JobServices): Promise<void> {
  const seconds = Math.ceil((at - now()) / 1000);
  await queue.send([{ message: job, delaySeconds: Math.min(Math.max(seconds, 0), OUTBOX_LIMITS.delaySeconds) }]);
}

type RecordingStore<R extends Receiver, D extends DeliveryState> = ReceiverStore<R> &
  DeliveryLog<D> &
  Pick<Services, 'now'> &
  Correlation;

interface AttemptOutcome<R extends Receiver, D extends DeliveryState> extends AttemptTarget<R, D> {
  readonly sent: SendOutcome | Exclude<SpecialOutcome, { readonly outcome: 'busy' }>;
  readonly admission: Admission;
}

/** Fields of the log, and what is left to do. */
interface OutcomeEntry {
  readonly outcome: string;
  /** The job for the next attempt, if it goes directly to the queue. */
  readonly nextJob?: { readonly job: DeliveryJob; readonly at: number };
  readonly [metric: string]: unknown;
}

const isLong = (milliseconds: number): boolean => milliseconds > OUTBOX_LIMITS.delaySeconds * 1000;

/** The outcome is stored before the next job is queued. If the call is killed in between, the repeated job finds it. */
async function recordOutcome<R extends Receiver, D extends DeliveryState>(
  store: RecordingStore<R, D>,
  attemptOutcome: AttemptOutcome<R, D>,
): Promise<OutcomeEntry> {
  const { sent, delivery } = attemptOutcome;
  if (sent.outcome === 'failed') return recordFailure(store, { ...attemptOutcome, sent });
  const { outcome, attempt } = sent;
  const isDelivered = outcome === 'delivered';
  const isRefused = outcome === 'gone' || outcome === 'refused';
  const problem = outcome === 'refused' ? { problem: sent.problem } : {};
  const effect = isRefused
    ? makeDisablingEffect({ at: store.now(), reason: outcome, ...problem })
    : computeSuccessEffect;
  const recording = await recordAttempt(
    store,
    attemptOutcome,
    planLastAttempt(delivery, attempt, isDelivered ? 'delivered' : 'dropped'),
    effect,
  );
  if (!recording) return SUPERSEDED;
  return {
    outcome,
    ...(isDelivered && { delivered: 1 }),
    ...(isRefused && { failed: 1 }),
    ...toDisabledMetric(recording),
  };
}

async function recordFailure<R extends Receiver, D extends DeliveryState>(
  store: RecordingStore<R, D>,
  {
    sent,
    receiver,
    delivery,
    admission,
  }: AttemptOutcome<R, D> & { readonly sent: Extract<SendOutcome, { readonly outcome: 'failed' }> },
): Promise<OutcomeEntry> {
  const now = store.now();
  const next = computeNextAttemptAt({ retry: delivery.retry, now, retryAfter: sent.retryAfter, random: Math.random() });
  const isLongDelay = next !== undefined && isLong(next - now);
  const result =
    next === undefined
      ? planLastAttempt(delivery, sent.attempt, 'exhausted')
      : planNextAttempt(delivery, sent.attempt, {
          ...pickCorrelation(store),
          nextAttemptAt: next,
          isLong: isLongDelay,
        });
  const effect = makeFailureEffect({ admission, now, pausedUntil: sent.pauses ? next : undefined });
  const recording = await recordAttempt(store, { receiver, delivery }, result, effect);
  if (!recording) return SUPERSEDED;
  return {
    ...(next === undefined ? { outcome: 'exhausted', exhausted: 1 } : { outcome: 'failed' }),
    ...toDisabledMetric(recording),
    failed: 1,
    ...(next !== undefined && !isLongDelay && { nextJob: { job: makeNextJob(delivery, store), at: next } }),
  };
}

const toDisabledMetric = ({ disables }: { readonly disables: boolean }) => (disables ? { disabled: 1 } : {});

/** Another call has already completed a duplicate of this job. */
const SUPERSEDED: OutcomeEntry = { outcome: 'superseded' };

interface RetryState {
  /** The number of earlier retries. */
  readonly retry: number;
  /** Current time, in epoch milliseconds. */
  readonly now: number;
  readonly retryAfter: string | undefined;
  /** A random number from 0 to 1. */
  readonly random: number;
}

/** In epoch milliseconds. `undefined` after the last retry. */
export function computeNextAttemptAt({ retry, now, retryAfter, random }: RetryState): number | undefined {
  const seconds = SENDING_LIMITS.deliveryRetrySeconds[retry];
  if (seconds === undefined) return undefined;
  // Adds jitter, so that deliveries that failed at the same time are not retried at the same time.
  const scheduledAt = now + Math.round(seconds * 1000 * (1 + SENDING_LIMITS.deliveryJitter * (2 * random - 1)));
  const requestedAt = parseRetryAfter(retryAfter, now) ?? scheduledAt;
  return Math.max(scheduledAt, Math.min(requestedAt, now + SENDING_LIMITS.retryAfterMilliseconds));
}

/** RFC 9110 section 10.2.3: seconds or a date. */
function parseRetryAfter(retryAfter = '', now: number): number | undefined {
  if (/^\d+$/.test(retryAfter)) return now + Number(retryAfter) * 1000;
  const date = retryAfter.endsWith(' GMT') ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}
