/** §6 When a failed delivery is attempted again. */
import { OUTBOX_LIMITS } from '#shared/engine/outbox/limits.ts';
import { SENDING_LIMITS } from './limits.ts';

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

/** Whether a delay is too long for the queue. Then a row of the table schedules the next attempt. */
export const isLongDelay = (milliseconds: number): boolean => milliseconds > OUTBOX_LIMITS.delaySeconds * 1000;
