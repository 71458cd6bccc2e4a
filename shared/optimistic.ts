/** Read, then write on condition that nothing changed in between; again until it holds. */
import { LIMITS } from './limits.ts';
import { backOff } from './table/back-off.ts';

/** `attempt` answers whether its write took place. */
export async function optimistically(what: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < LIMITS.optimisticAttempts; round += 1) {
    await backOff(round);
    if (await attempt()) return;
  }
  throw new Error(`Too many simultaneous changes to the ${what}`);
}
