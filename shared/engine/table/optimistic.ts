/** Optimistic concurrency: reads, then writes if nothing changed in between. Retries until the write succeeds. */
import { LIMITS } from '#shared/engine/limits.ts';
import { backOff } from './back-off.ts';

/** `attempt` returns whether its write succeeded. */
export async function optimistically(what: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < LIMITS.optimisticAttempts; round += 1) {
    await backOff(round);
    if (await attempt()) return;
  }
  throw new Error(`Too many simultaneous changes to the ${what}`);
}
