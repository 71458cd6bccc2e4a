/** §6 Creates deliveries and queues jobs that attempt them. */
import { type Correlation, pickCorrelation } from '#shared/engine/correlation.ts';
import { DAY_SECONDS } from '#shared/engine/durations.ts';
import type { MessageQueue } from '#shared/engine/outbox/message-queue.ts';
import type { Entity } from '#shared/engine/table/entity.ts';
import { encodeInstant } from '#shared/engine/table/keys.ts';
import { ABSENT, type Put, put } from '#shared/engine/table/writes.ts';
import type { DeliveryKey, DeliveryState } from '#shared/model/events/delivery.ts';
import { makeOutboxRow, outbox } from '#shared/model/events/outbox.ts';
import type { DeliveryJob, OutboxContent } from '#shared/model/events/outbox-content.ts';
import type { ReceiverKey } from '#shared/model/events/receiver.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { CoreServices, WithClock } from '#shared/services.ts';

export type JobServices = WithClock & Correlation & { readonly queue: Pick<MessageQueue<DeliveryJob>, 'send'> };

const OUTBOX_ID_CHARACTERS = 16;
const TEST_ID_CHARACTERS = 24;

/** From the time of the start or redelivery. In epoch seconds, as the TTL attribute requires. */
export const computeDeliveryExpiry = (milliseconds: number, days: number): number =>
  Math.floor(milliseconds / 1000) + days * DAY_SECONDS;

/** Before the first attempt. The delivery is kept for this many days. */
export const makeDeliveryState = (createdAt: number, days: number) =>
  ({
    status: 'pending',
    attemptsMade: 0,
    retry: 0,
    attempts: [],
    createdAt,
    expiresAt: computeDeliveryExpiry(createdAt, days),
  }) as const;

/** It belongs to no run. */
export function makeTestDelivery(
  { now, randomId }: Pick<CoreServices, 'now' | 'randomId'>,
  { organizationId, projectId, hookId }: ReceiverKey & ProjectKey,
  days: number,
) {
  const at = now();
  const deliveryId = `msg_${encodeInstant(at)}${randomId(TEST_ID_CHARACTERS)}`;
  const target = { organizationId, projectId, hookId, runId: null, groupId: null } as const;
  return { ...target, deliveryId, test: true, ...makeDeliveryState(at, days) } as const;
}

/** For the next attempt. */
export const toDeliveryJob = (
  { organizationId, hookId, deliveryId, attemptsMade }: DeliveryState,
  cause: Correlation,
): DeliveryJob => ({
  organizationId,
  hookId,
  deliveryId,
  attempt: attemptsMade,
  ...pickCorrelation(cause),
});

/** The write that queues the job through the outbox, in the transaction of the change that requires it. */
export function planDeliveryJob(
  { now, randomId, ...cause }: CoreServices,
  kind: Extract<OutboxContent, { readonly job: DeliveryJob }>['kind'],
  delivery: DeliveryState,
): Put {
  const row = {
    at: now(),
    outboxId: randomId(OUTBOX_ID_CHARACTERS),
    content: { kind, job: toDeliveryJob(delivery, cause) },
  };
  return put(outbox, makeOutboxRow(delivery.hookId, row));
}

/**
 * Creates the deliveries of an event and queues them. Returns how many were queued. Idempotent: a repeated call creates
 * no second delivery. If a delivery has no attempts yet, a repeated call queues it again, because its job may have been
 * lost. `mayQueue` can keep a delivery that exists already from being queued again.
 */
export async function queueDeliveries<D extends DeliveryState>(
  { table, queue, ...cause }: Pick<JobServices, 'table' | 'queue' | 'correlationId'>,
  entity: Entity<DeliveryKey, D>,
  all: readonly D[],
  mayQueue: (delivery: D) => boolean = () => true,
): Promise<number> {
  const outcomes = await Promise.all(all.map((delivery) => table.put(entity, delivery, ABSENT)));
  const jobs = outcomes
    .map(({ item }) => item)
    .filter((delivery) => delivery !== undefined)
    .filter((delivery) => delivery.status === 'pending' && delivery.attemptsMade === 0 && mayQueue(delivery))
    .map((delivery) => ({ message: toDeliveryJob(delivery, cause) }));
  await queue.send(jobs);
  return jobs.length;
}
