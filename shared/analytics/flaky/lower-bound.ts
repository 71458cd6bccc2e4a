/** The lower Wilson bound of a rate. Few trials give a low bound, so that one bad day does not make a test flaky. */
import { FLAKY_LIMITS } from './limits.ts';

export function lowerBound(events: number, trials: number): number {
  if (trials === 0) return 0;
  const { z } = FLAKY_LIMITS;
  const rate = Math.min(1, events / trials);
  const middle = rate + (z * z) / (2 * trials);
  const reach = z * Math.sqrt((rate * (1 - rate)) / trials + (z * z) / (4 * trials * trials));
  return Math.max(0, (middle - reach) / (1 + (z * z) / trials));
}
