/** §6 When a delivery that failed is attempted again. */
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';

interface Failure {
  /** Position in the schedule: retries of the delivery before this one. */
  readonly retry: number;
  /** Milliseconds. */
  readonly now: number;
  /** Of the answer, if there was one. */
  readonly retryAfter: string | undefined;
  /** From 0 to 1. */
  readonly random: number;
}

/** Milliseconds; `undefined` after the last attempt of the schedule. */
export function nextAttemptAt({ retry, now, retryAfter, random }: Failure): number | undefined {
  const seconds = WEBHOOK_LIMITS.deliveryRetrySeconds[retry];
  if (seconds === undefined) return undefined;
  // Spread, so that deliveries that failed together do not all come back together.
  const scheduled = now + Math.round(seconds * 1000 * (1 + WEBHOOK_LIMITS.deliveryJitter * (2 * random - 1)));
  const wished = wishedTime(retryAfter, now) ?? scheduled;
  return Math.max(scheduled, Math.min(wished, now + WEBHOOK_LIMITS.retryAfterMilliseconds));
}

/** RFC 9110 section 10.2.3: seconds, or a date. */
function wishedTime(retryAfter = '', now: number): number | undefined {
  if (/^\d+$/.test(retryAfter)) return now + Number(retryAfter) * 1000;
  const date = retryAfter.endsWith(' GMT') ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}
