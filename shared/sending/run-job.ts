/** §6 Runs one delivery job: checks whether it is due, sends the request and records the outcome. Idempotent. */

import { OUTBOX_LIMITS } from '#shared/engine/outbox/limits.ts';
import type { MessageQueue } from '#shared/engine/outbox/message-queue.ts';
import { lookup } from '#shared/engine/table/found.ts';
import type { DeliveryState } from '#shared/model/events/delivery.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import type { Receiver } from '#shared/model/events/receiver.ts';
import type { Services } from '#shared/services.ts';
import type { DeliveryChannel } from './delivery-channel.ts';
import { admissionTo } from './receiver-store.ts';
import { deliveryJob, drop, isNext } from './record-attempt.ts';
import { isLong, recordOutcome } from './record-outcome.ts';

export type JobServices = Pick<Services, 'table' | 'now'> & { readonly queue: Pick<MessageQueue<DeliveryJob>, 'send'> };

/** Returns the log entries. They contain ids and numbers only, never request or answer contents. */
export async function runJob<R extends Receiver, D extends DeliveryState>(
  job: DeliveryJob,
  services: JobServices,
  channel: DeliveryChannel<R, D>,
): Promise<readonly object[]> {
  const at = { ...services, ...channel };
  const wantedReceiver = lookup(channel.receivers, job);
  const wantedDelivery = lookup(channel.deliveries, job);
  const found = await services.table.getTogether([wantedReceiver, wantedDelivery], { consistent: true });
  const receiver = found.of(wantedReceiver);
  const delivery = found.of(wantedDelivery);
  const logFields = { ...job, ...(delivery ? { runId: delivery.runId, ...eventOf(delivery) } : {}) };
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

const eventOf = (delivery: object) => ('event' in delivery ? { event: delivery.event } : {});

/** A job for another attempt than the next one is a duplicate, or a sign of an interrupted call. */
async function handleStaleJob(
  { attempt }: DeliveryJob,
  delivery: DeliveryState | undefined,
  services: JobServices,
): Promise<string> {
  const { nextAttemptAt: next } = delivery ?? {};
  if (!delivery || next === undefined || !isNext(delivery, attempt + 1)) return 'stale';
  // The call may have ended after it recorded the attempt and before it queued the next job. The table holds longer delays.
  if (isLong(next - services.now())) return 'stale';
  await requeue(deliveryJob(delivery, delivery.attemptsMade), next, services);
  return 'sentAgain';
}

/** Queues a job with the longest delay that a queue allows. A job that arrives too early is queued again. */
async function requeue(job: DeliveryJob, at = 0, { queue, now }: JobServices): Promise<void> {
  const seconds = Math.ceil((at - now()) / 1000);
  await queue.send([{ message: job, delaySeconds: Math.min(Math.max(seconds, 0), OUTBOX_LIMITS.delaySeconds) }]);
}
