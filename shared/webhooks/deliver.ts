/** §6 Runs one delivery job: checks whether it is due, sends the request and records the outcome. Idempotent. */

import { OUTBOX_LIMITS } from '#shared/engine/outbox/limits.ts';
import type { MessageQueue } from '#shared/engine/outbox/message-queue.ts';
import { lookup } from '#shared/engine/table/found.ts';
import { type Delivery, deliveries } from '#shared/model/delivery.ts';
import type { DeliveryJob } from '#shared/model/outbox-content.ts';
import { type Webhook, webhooks } from '#shared/model/webhook.ts';
import type { Services } from '#shared/services.ts';
import type { Connections } from './connections.ts';
import type { Network } from './exchange.ts';
import { type Admission, admissionTo, disable, noteFailure, noteSuccess } from './receiver.ts';
import { deliveryJob, end, isNext, postpone } from './record-attempt.ts';
import { nextAttemptAt } from './retry.ts';
import { type Sent, send } from './send.ts';

export type Sender = Pick<Services, 'table' | 'now'> &
  Network & {
    readonly queue: Pick<MessageQueue<DeliveryJob>, 'send'>;
    /** Keep-alive connections. Without them each request opens its own. */
    readonly connections?: Connections;
  };

/** Returns the log entries. They contain ids and numbers only, never request or answer contents. */
export async function deliver(job: DeliveryJob, sender: Sender): Promise<readonly object[]> {
  const [wantedWebhook, wantedDelivery] = [lookup(webhooks, job), lookup(deliveries, job)];
  const found = await sender.table.getTogether([wantedWebhook, wantedDelivery], { consistent: true });
  const [webhook, delivery] = [found.of(wantedWebhook), found.of(wantedDelivery)];
  const logFields = { ...job, ...(delivery ? { runId: delivery.runId, event: delivery.event } : {}) };
  if (!isNext(delivery, job.attempt)) return [{ ...logFields, outcome: await handleStaleJob(job, delivery, sender) }];
  if (!webhook || webhook.disabled) {
    await end(sender, delivery, 'dropped');
    return [{ ...logFields, outcome: 'dropped' }];
  }
  const now = sender.now();
  if ((delivery.nextAttemptAt ?? now) > now) {
    await requeue(job, delivery.nextAttemptAt, sender);
    return [{ ...logFields, outcome: 'early' }];
  }
  const admission = await admissionTo(sender, webhook, now);
  if (admission.kind === 'waits') {
    await requeue(job, admission.until, sender);
    return [{ ...logFields, outcome: 'paused' }];
  }
  const kept = sender.connections?.of(webhook.hookId, now);
  const sent = await send(messageOf(webhook, delivery, now), { ...sender, kept });
  const { latencyMs, statusCode } = sent.attempt;
  return [
    { ...logFields, latencyMs, statusCode, ...(await recordOutcome(sent, webhook, delivery, admission, sender)) },
  ];
}

/** A job for another attempt than the next one is a duplicate, or a sign of an interrupted call. */
async function handleStaleJob(
  { attempt }: DeliveryJob,
  delivery: Delivery | undefined,
  sender: Sender,
): Promise<string> {
  const { nextAttemptAt: next } = delivery ?? {};
  if (!delivery || next === undefined || !isNext(delivery, attempt + 1)) return 'stale';
  // The call may have ended after it recorded the attempt and before it queued the next job. The table holds longer delays.
  if (isLong(next - sender.now())) return 'stale';
  await requeue(deliveryJob(delivery, delivery.attemptsMade), next, sender);
  return 'sentAgain';
}

/** Queues a job with the longest delay that a queue allows. A job that arrives too early is queued again. */
async function requeue(job: DeliveryJob, at = 0, { queue, now }: Sender): Promise<void> {
  const seconds = Math.ceil((at - now()) / 1000);
  await queue.send([{ message: job, delaySeconds: Math.min(Math.max(seconds, 0), OUTBOX_LIMITS.delaySeconds) }]);
}

const isLong = (milliseconds: number): boolean => milliseconds > OUTBOX_LIMITS.delaySeconds * 1000;

const messageOf = ({ url, headers, secrets }: Webhook, { deliveryId, body }: Delivery, now: number) => ({
  id: deliveryId,
  url,
  headers,
  body,
  secrets: secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now).map(({ value }) => value),
});

/** Records the attempt first. After an interruption the record shows what is left to do; without a record, the attempt is repeated. */
async function recordOutcome(
  sent: Sent,
  webhook: Webhook,
  delivery: Delivery,
  admission: Admission,
  sender: Sender,
): Promise<object> {
  const now = sender.now();
  const { attempt } = sent;
  if (sent.outcome === 'delivered') {
    const done = await end(sender, delivery, 'delivered', attempt);
    await noteSuccess(sender, webhook);
    return done ? { outcome: 'delivered', delivered: 1 } : SUPERSEDED;
  }
  if (sent.outcome === 'gone') {
    const done = await end(sender, delivery, 'dropped', attempt);
    await disable(sender, webhook, { at: now, reason: 'gone' });
    return done ? { outcome: 'gone', failed: 1, disabled: 1 } : SUPERSEDED;
  }
  const next = nextAttemptAt({ retry: delivery.retry, now, retryAfter: sent.retryAfter, random: Math.random() });
  const waits = { nextAttemptAt: next ?? now, isLong: isLong((next ?? now) - now) };
  const done = await (next === undefined
    ? end(sender, delivery, 'exhausted', attempt)
    : postpone(sender, delivery, attempt, waits));
  if (!done) return SUPERSEDED;
  const isDisabled = await noteFailure(sender, webhook, admission, now);
  if (next !== undefined && !waits.isLong)
    await requeue(deliveryJob(delivery, delivery.attemptsMade + 1), next, sender);
  return {
    ...(next === undefined ? { outcome: 'exhausted', exhausted: 1 } : { outcome: 'failed' }),
    ...(isDisabled ? { disabled: 1 } : {}),
    failed: 1,
  };
}

/** A duplicate of this job was completed by another call. */
const SUPERSEDED = { outcome: 'superseded' };
