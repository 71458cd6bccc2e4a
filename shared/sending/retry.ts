/** §6 The time of the next attempt after a failure. */
import { SENDING_LIMITS } from './limits.ts';

interface Failure {
  /** The number of earlier retries. */
  readonly retry: number;
  /** Current time, in epoch milliseconds. */
  readonly now: number;
  /** The `Retry-After` header. */
  readonly retryAfter: string | undefined;
  /** A random number from 0 to 1. */
  readonly random: number;
}

/** Time of the next attempt in epoch milliseconds, or `undefined` after the last retry. */
export function nextAttemptAt({ retry, now, retryAfter, random }: Failure): number | undefined {
  const seconds = SENDING_LIMITS.deliveryRetrySeconds[retry];
  if (seconds === undefined) return undefined;
  // Jitter: deliveries that failed together must not retry together.
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
