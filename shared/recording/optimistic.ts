/** Read, then write on condition that nothing changed in between; again until it holds. */
import { LIMITS } from '../limits.ts';

/** `attempt` answers whether its write took place. */
export async function optimistically(what: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < LIMITS.optimisticAttempts; round += 1) {
    if (await attempt()) return;
  }
  throw new Error(`Too many simultaneous changes to the ${what}`);
}
