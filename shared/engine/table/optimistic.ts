/** Optimistic concurrency control: read, then write on the condition that nothing has changed since the read. */

import { backOff } from './back-off.ts';
import { TABLE_LIMITS } from './limits.ts';

/** Repeats `attempt` until it returns true, which means that its conditional write succeeded. */
export async function optimistically(what: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < TABLE_LIMITS.optimisticAttempts; round += 1) {
    await backOff(round);
    if (await attempt()) return;
  }
  throw new Error(`The ${what} could not be saved because of too many concurrent changes. Try again`);
}
