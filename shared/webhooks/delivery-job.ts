/** §6 Queues a delivery job through the outbox, in the transaction of the change that requires it. */

import { type Put, put } from '#shared/engine/table/writes.ts';
import type { Delivery } from '#shared/model/events/delivery.ts';
import { outbox, outboxRow } from '#shared/model/events/outbox.ts';
import type { CoreServices } from '#shared/services.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

const ID_CHARACTERS = 16;

/** The write that queues the job for the next attempt. */
export function deliveryJobPut({ now, randomId }: CoreServices, delivery: Delivery): Put {
  const { organizationId, hookId, deliveryId, attemptsMade } = delivery;
  const job = { organizationId, hookId, deliveryId, attempt: attemptsMade };
  const row = { at: now(), outboxId: randomId(ID_CHARACTERS), content: { kind: 'delivery', job } as const };
  return put(outbox, outboxRow(hookId, row));
}

const MILLISECONDS = 1000;
const SECONDS_A_DAY = 24 * 3600;

/**
 * The expiry of a delivery that starts or is redelivered at this time. It is in epoch seconds, as the TTL attribute
 * requires.
 */
export const deliveryExpiry = (milliseconds: number): number =>
  Math.floor(milliseconds / MILLISECONDS) + WEBHOOK_LIMITS.deliveryDays * SECONDS_A_DAY;
