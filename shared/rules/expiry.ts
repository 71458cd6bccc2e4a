import { invalidRequest } from '#shared/engine/errors.ts';

/** §4.4.11 A rule that expires at once would be a mistake. To pause a rule, it is disabled. */
export function refusePastExpiry(expiresAfter: number | null | undefined, now: number): void {
  if (expiresAfter != null && expiresAfter <= now)
    throw invalidRequest('`expiresAfter` must be in the future. Send a later time, or null for a rule without an end');
}
