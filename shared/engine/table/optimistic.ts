/** Optimistic concurrency: reads, then writes if nothing changed in between. Retries until the write succeeds. */

import { backOff } from './back-off.ts';
import { TABLE_LIMITS } from './limits.ts';

/** Repeats an attempt until its write succeeds. `attempt` returns whether it did. */
export async function optimistically(what: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < TABLE_LIMITS.optimisticAttempts; round += 1) {
    await backOff(round);
    if (await attempt()) return;
  }
  throw new Error(`Too many simultaneous changes to the ${what}`);
}
