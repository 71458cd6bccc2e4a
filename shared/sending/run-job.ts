/** §6 Runs one delivery job. A repeated job sends the request again only if the outcome was not recorded. */
import { OUTBOX_LIMITS } from '#shared/engine/outbox/limits.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import type { DeliveryState } from '#shared/model/events/delivery.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import type { Receiver } from '#shared/model/events/receiver.ts';
import type { DeliveryChannel } from './delivery-channel.ts';
import { type JobServices, toDeliveryJob } from './queue-deliveries.ts';
import { requestAdmission } from './receiver-store.ts';
import { dropDelivery, isNext } from './record-attempt.ts';
import { recordOutcome } from './record-outcome.ts';
import { isLongDelay } from './retry-times.ts';

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
  const logFields = delivery ? { ...job, runId: delivery.runId, event: delivery.event } : job;
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
  const nextAttemptAt = delivery?.nextAttemptAt;
  if (!delivery || nextAttemptAt === undefined || !isNext(delivery, attempt + 1)) return 'stale';
  // The earlier call may have ended after it recorded the attempt and before it queued the next job. A long delay needs
  // no job, because a row of the table schedules it.
  if (isLongDelay(nextAttemptAt - services.now())) return 'stale';
  await queueJobAt(toDeliveryJob(delivery, services), nextAttemptAt, services);
  return 'sentAgain';
}

/** If the queue cannot delay the job for that long, it arrives too early and is queued again. */
async function queueJobAt(job: DeliveryJob, at = 0, { queue, now }: JobServices): Promise<void> {
  const seconds = Math.ceil((at - now()) / 1000);
  await queue.send([{ message: job, delaySeconds: Math.min(Math.max(seconds, 0), OUTBOX_LIMITS.delaySeconds) }]);
}
