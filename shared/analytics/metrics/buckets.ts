/** The hours, days or weeks into which timelines are divided, in UTC. Weeks begin on Monday. */
import type { Period } from '../read-model.ts';

export type Resolution = '1h' | '1d' | '1w';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The Unix epoch began on a Thursday, so the first Monday came four days later. */
const FIRST_MONDAY = 4 * DAY;

const SIZES = { '1h': [HOUR, 0], '1d': [DAY, 0], '1w': [7 * DAY, FIRST_MONDAY] } as const;

export function findBucketStart(milliseconds: number, resolution: Resolution): number {
  const [size, first] = SIZES[resolution];
  return Math.floor((milliseconds - first) / size) * size + first;
}

export function listBucketStarts({ from, to }: Period, resolution: Resolution): number[] {
  const [size] = SIZES[resolution];
  const starts: number[] = [];
  for (let start = findBucketStart(from, resolution); start < to; start += size) starts.push(start);
  return from < to ? starts : [];
}
