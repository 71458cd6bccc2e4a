/**
 * §6 Runs one delivery job: checks whether it is due, sends the request and records the outcome. A repeated job sends
 * the request again only if the outcome was not recorded.
 */

import { OUTBOX_LIMITS } from '#shared/engine/outbox/limits.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import type { DeliveryState } from '#shared/model/events/delivery.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import type { Receiver } from '#shared/model/events/receiver.ts';
import type { Services } from '#shared/services.ts';
import type { DeliveryChannel, Sent, SpecialOutcome } from './delivery-channel.ts';
import { SENDING_LIMITS } from './limits.ts';
import { deliveryJob, type JobServices } from './queue-deliveries.ts';
import { type Admission, admissionTo, disabledBy, failedBy, type ReceiverStore, successful } from './receiver-store.ts';
import { type Attempted, drop, isNext, jobAfter, type Log, lastAttempt, postponed, record } from './record-attempt.ts';

/**
 * Returns the entries for the log. They contain ids, numbers and fixed words, but never the content of a request or
 * response.
 */
export async function runJob<R extends Receiver, D extends DeliveryState>(
  job: DeliveryJob,
  services: JobServices,
  channel: DeliveryChannel<R, D>,
): Promise<readonly object[]> {
  const at = { ...services, ...channel };
  const wantedReceiver = makeLookup(channel.receivers, job);
  const wantedDelivery = makeLookup(channel.deliveries, job);
  const found = await services.table.getTogether([wantedReceiver, wantedDelivery], { consistent: true });
  const receiver = found.of(wantedReceiver);
  const delivery = found.of(wantedDelivery);
  const logFields = { ...job, ...(delivery && { runId: delivery.runId, event: delivery.event }) };
  if (!isNext(delivery, job.attempt)) return [{ ...logFields, outcome: await handleStaleJob(job, delivery, services) }];
  if (!receiver || receiver.disabled) {
    await drop(at, delivery);
    return [{ ...logFields, outcome: 'dropped' }];
  }
  const now = services.now();
  if ((delivery.nextAttemptAt ?? now) > now) {
    await requeue(job, delivery.nextAttemptAt, services);
    return [{ ...logFields, outcome: 'early' }];
  }
  const admission = await admissionTo(at, receiver, now);
  if (admission.kind === 'waits') {
    await requeue(job, admission.until, services);
    return [{ ...logFields, outcome: 'paused' }];
  }
  const sent = await channel.send(receiver, delivery, now);
  if (sent.outcome === 'busy') {
    await requeue(job, sent.until, services);
    return [{ ...logFields, outcome: 'busy' }];
  }
  const { latencyMs, statusCode } = sent.attempt;
  const claimed = admission.kind === 'probe' ? { ...receiver, pausedUntil: admission.claim } : receiver;
  const { nextJob, ...outcome } = await recordOutcome(at, { sent, receiver: claimed, delivery, admission });
  if (nextJob) await requeue(nextJob.job, nextJob.at, services);
  return [{ ...logFields, latencyMs, statusCode, ...outcome }];
}

/**
 * Handles a job whose attempt is not the next one. Either the job is a duplicate, or an earlier call was interrupted.
 */
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
  await requeue(deliveryJob(delivery), next, services);
  return 'sentAgain';
}

/**
 * Queues a job that is due at the time `at`. If the queue cannot delay the job for that long, the job arrives too early
 * and is queued again.
 */
async function requeue(job: DeliveryJob, at = 0, { queue, now }: JobServices): Promise<void> {
  const seconds = Math.ceil((at - now()) / 1000);
  await queue.send([{ message: job, delaySeconds: Math.min(Math.max(seconds, 0), OUTBOX_LIMITS.delaySeconds) }]);
}

// §6 Records the outcome of an attempt, for its delivery and for its receiver.

type Recording<R extends Receiver, D extends DeliveryState> = ReceiverStore<R> & Log<D> & Pick<Services, 'now'>;

interface Answered<R extends Receiver, D extends DeliveryState> extends Attempted<R, D> {
  readonly sent: Sent | Exclude<SpecialOutcome, { readonly outcome: 'busy' }>;
  readonly admission: Admission;
}

interface Recorded {
  readonly outcome: string;
  /** The job for the next attempt, if it goes directly to the queue. */
  readonly nextJob?: { readonly job: DeliveryJob; readonly at: number };
  readonly [metric: string]: unknown;
}

const isLong = (milliseconds: number): boolean => milliseconds > OUTBOX_LIMITS.delaySeconds * 1000;

/**
 * Records the attempt before anything else. If the call is then interrupted, the record shows what is left to do.
 * Without a record, the attempt is repeated.
 */
async function recordOutcome<R extends Receiver, D extends DeliveryState>(
  at: Recording<R, D>,
  attempted: Answered<R, D>,
): Promise<Recorded> {
  const { sent, delivery } = attempted;
  if (sent.outcome === 'failed') return recordFailure(at, { ...attempted, sent });
  const { outcome, attempt } = sent;
  const isDelivered = outcome === 'delivered';
  const isRefused = outcome === 'gone' || outcome === 'refused';
  const problem = outcome === 'refused' ? { problem: sent.problem } : {};
  const effect = isRefused ? disabledBy({ at: at.now(), reason: outcome, ...problem }) : successful;
  const recorded = await record(
    at,
    attempted,
    lastAttempt(delivery, attempt, isDelivered ? 'delivered' : 'dropped'),
    effect,
  );
  if (!recorded) return SUPERSEDED;
  return { outcome, ...(isDelivered && { delivered: 1 }), ...(isRefused && { failed: 1 }), ...disabledIf(recorded) };
}

async function recordFailure<R extends Receiver, D extends DeliveryState>(
  at: Recording<R, D>,
  {
    sent,
    receiver,
    delivery,
    admission,
  }: Answered<R, D> & { readonly sent: Extract<Sent, { readonly outcome: 'failed' }> },
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
    ...(next !== undefined && !waits.isLong && { nextJob: { job: jobAfter(delivery), at: next } }),
  };
}

const disabledIf = ({ disables }: { readonly disables: boolean }) => (disables ? { disabled: 1 } : {});

/** Another call has already completed a duplicate of this job. */
const SUPERSEDED: Recorded = { outcome: 'superseded' };

// §6 The time of the next attempt after a failure.

interface Failure {
  /** The number of earlier retries. */
  readonly retry: number;
  /** Current time, in epoch milliseconds. */
  readonly now: number;
  readonly retryAfter: string | undefined;
  /** A random number from 0 to 1. */
  readonly random: number;
}

/** Time of the next attempt in epoch milliseconds, or `undefined` after the last retry. */
export function nextAttemptAt({ retry, now, retryAfter, random }: Failure): number | undefined {
  const seconds = SENDING_LIMITS.deliveryRetrySeconds[retry];
  if (seconds === undefined) return undefined;
  // Adds jitter, so that deliveries that failed at the same time are not retried at the same time.
  const scheduled = now + Math.round(seconds * 1000 * (1 + SENDING_LIMITS.deliveryJitter * (2 * random - 1)));
  const requested = requestedTime(retryAfter, now) ?? scheduled;
  return Math.max(scheduled, Math.min(requested, now + SENDING_LIMITS.retryAfterMilliseconds));
}

/** The time in a `Retry-After` header. RFC 9110 section 10.2.3: seconds or a date. */
function requestedTime(retryAfter = '', now: number): number | undefined {
  if (/^\d+$/.test(retryAfter)) return now + Number(retryAfter) * 1000;
  const date = retryAfter.endsWith(' GMT') ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}
