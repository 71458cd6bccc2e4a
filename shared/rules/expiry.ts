import { invalidRequest } from '#shared/engine/errors.ts';

/** §4.4.11 Refuses an expiry in the past, which would be a mistake: to pause a rule, people disable it. */
export function refusePastExpiry(expiresAfter: number | null | undefined, now: number): void {
  if (expiresAfter != null && expiresAfter <= now)
    throw invalidRequest('`expiresAfter` must be in the future. Send a later time, or null for a rule without an end');
}
