/** How long the runs of a project took. */
import type { Period, RunGroupFacts } from '../read-model.ts';
import { findBucketStart, listBucketStarts, type Resolution } from './buckets.ts';

/** Empty if it is not known how long the run took. */
export const listKnownDurations = ({
  createdAt,
  endedAt,
  ran = Math.max(0, endedAt - createdAt),
}: RunGroupFacts): number[] => (ran === null ? [] : [ran]);

/** The durations of the complete runs of each bucket, in milliseconds. */
export function groupDurations(
  groups: readonly RunGroupFacts[],
  { period, resolution }: { readonly period: Period; readonly resolution: Resolution },
): readonly { readonly at: number; readonly durations: readonly number[] }[] {
  const runs = [...new Map(groups.map((group) => [group.runId, group])).values()];
  const byBucket = Map.groupBy(
    runs.filter(({ completionState }) => completionState === 'COMPLETE'),
    ({ createdAt }) => findBucketStart(createdAt, resolution),
  );
  return listBucketStarts(period, resolution).map((at) => ({
    at,
    durations: (byBucket.get(at) ?? []).flatMap(listKnownDurations),
  }));
}

/** The smallest value that at least this share of the values does not exceed. `undefined` without values. */
export const computePercentile = (values: readonly number[], share: number): number | undefined =>
  values.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(share * values.length) - 1)];
