/** §4.4.5 Totals of the runs and tests of a project, overall and over time. */
import { sumCounters } from '#shared/model/results/outcomes.ts';
import type { Period, RunGroupFacts } from '../read-model.ts';
import { findBucketStart, listBucketStarts, type Resolution } from './buckets.ts';
import type { InsightMetrics, Insights } from './insights-wire.ts';
import { listKnownDurations } from './run-durations.ts';
import { divideOrZero } from './test-metrics.ts';

/** A run whose results are not included in the totals yet. */
export interface OpenRun {
  readonly createdAt: number;
}

export function computeInsights(
  groups: readonly RunGroupFacts[],
  open: readonly OpenRun[],
  { period, resolution }: { readonly period: Period; readonly resolution: Resolution },
): Insights['results'] {
  const findBucket = ({ createdAt }: OpenRun) => findBucketStart(createdAt, resolution);
  const groupsOf = Map.groupBy(groups, findBucket);
  const openOf = Map.groupBy(open, findBucket);
  return {
    overall: computeInsightMetrics(groups, open),
    timeline: Object.fromEntries(
      listBucketStarts(period, resolution).map((start) => [
        start,
        computeInsightMetrics(groupsOf.get(start) ?? [], openOf.get(start) ?? []),
      ]),
    ),
  };
}

function computeInsightMetrics(groups: readonly RunGroupFacts[], open: readonly OpenRun[]): InsightMetrics {
  const runs = [...new Map(groups.map((group) => [group.runId, group])).values()];
  const count = (is: (run: RunGroupFacts) => boolean) => runs.filter(is).length;
  const completeRuns = runs.filter(({ completionState }) => completionState === 'COMPLETE');
  const durations = completeRuns.flatMap(listKnownDurations);
  const milliseconds = durations.reduce((all, one) => all + one, 0);
  const tests = sumCounters(groups.map(({ counters }) => counters));
  return {
    runs: {
      total: runs.length + open.length,
      completed: completeRuns.length,
      cancelled: count(({ completionState }) => completionState === 'CANCELED'),
      timeouts: count(({ completionState }) => completionState === 'TIMEOUT'),
      // A cancelled run has neither passed nor failed. A run that timed out may have failed, but has not passed.
      failed: count(({ status, completionState }) => completionState !== 'CANCELED' && status.startsWith('FAIL')),
      passed: completeRuns.filter(({ status }) => status === 'PASSED').length,
      avgDurationSeconds: divideOrZero(milliseconds, durations.length) / 1000,
    },
    tests: {
      total: tests.overall,
      failed: tests.failures,
      passed: tests.passes,
      pending: tests.pending,
      skipped: tests.skipped,
      flaky: tests.flaky,
    },
    incomplete: groups.reduce((total, { incomplete = 0 }) => total + incomplete, 0),
  };
}
