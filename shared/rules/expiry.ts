import { invalidRequest } from '#shared/engine/errors.ts';

/** §4.4.11 Refuses an expiry in the past, because it must be a mistake: people who want to pause a rule disable it. */
export function refusePastExpiry(expiresAfter: number | null | undefined, now: number): void {
  if (expiresAfter != null && expiresAfter <= now)
    throw invalidRequest('`expiresAfter` must be in the future. Send a later time, or null for no expiry');
}
