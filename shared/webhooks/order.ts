/** §6 What has a delivery sent: an order, written with what it is about, which the relay takes to the sender. */

import type { Delivery } from '../resources/delivery.ts';
import { outbox, outboxRow } from '../resources/outbox.ts';
import type { Administration } from '../services.ts';
import { type Put, put } from '../table/writes.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';

const ID_CHARACTERS = 16;

/** For the attempt that is next. */
export function orderWrite({ now, randomId }: Administration, delivery: Delivery): Put {
  const { organizationId, hookId, deliveryId, attemptsMade } = delivery;
  const order = { organizationId, hookId, deliveryId, attempt: attemptsMade };
  const row = { at: now(), outboxId: randomId(ID_CHARACTERS), content: { kind: 'delivery', order } as const };
  return put(outbox, outboxRow(hookId, row));
}

const MILLISECONDS = 1000;
const SECONDS_A_DAY = 24 * 3600;

/** Of a delivery that is begun, or begun anew, then: in seconds, as the table wants it. */
export const expiryOf = (milliseconds: number): number =>
  Math.floor(milliseconds / MILLISECONDS) + WEBHOOK_LIMITS.deliveryDays * SECONDS_A_DAY;

/** The table takes its time to delete what has expired. */
export const isExpired = ({ expiresAt }: Delivery, now: number): boolean => expiresAt * MILLISECONDS <= now;
