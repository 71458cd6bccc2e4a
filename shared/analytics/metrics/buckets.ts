/** The hours, days or weeks into which timelines are divided, in UTC. Weeks begin on Monday. */
import { DAY_MILLISECONDS } from '#shared/engine/time.ts';
import type { Period } from '../read-model.ts';

export type Resolution = '1h' | '1d' | '1w';

const BUCKETS = {
  '1h': { size: DAY_MILLISECONDS / 24, first: 0 },
  '1d': { size: DAY_MILLISECONDS, first: 0 },
  // The Unix epoch began on a Thursday, so the first Monday came four days later.
  '1w': { size: 7 * DAY_MILLISECONDS, first: 4 * DAY_MILLISECONDS },
} as const;

export function findBucketStart(milliseconds: number, resolution: Resolution): number {
  const { size, first } = BUCKETS[resolution];
  return Math.floor((milliseconds - first) / size) * size + first;
}

export function listBucketStarts({ from, to }: Period, resolution: Resolution): number[] {
  const { size } = BUCKETS[resolution];
  const starts: number[] = [];
  for (let start = findBucketStart(from, resolution); start < to; start += size) starts.push(start);
  return from < to ? starts : [];
}
