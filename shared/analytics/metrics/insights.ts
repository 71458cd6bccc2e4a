/** §4.4.5 Totals of the runs and tests of a project, overall and over time. */
import { deriveSpecSignature } from '#shared/model/ids.ts';
import { sumCounters } from '#shared/model/results/outcomes.ts';
import { compareTexts } from '#shared/results/contains.ts';
import type { AnalyticsScope, Occurrence, Period, RunGroupFacts } from '../read-model.ts';
import { findBucketStart, listBucketStarts, type Resolution } from './buckets.ts';
import type { InsightMetrics, Insights } from './insights-wire.ts';
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

/** Empty if it is not known how long the run took. */
const listKnownDurations = ({ createdAt, endedAt, ran = Math.max(0, endedAt - createdAt) }: RunGroupFacts): number[] =>
  ran === null ? [] : [ran];

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

export interface Release {
  readonly version: string;
  /** When the first run of the release started, in epoch milliseconds. */
  readonly at: number;
}

const RELEASE_TAG = 'release:';

/** The releases whose first run is in the period, oldest first. A run tells its release by the tag `release:<version>`. */
export function listReleases(groups: readonly RunGroupFacts[]): Release[] {
  const firstRuns = new Map<string, number>();
  for (const { tags, createdAt } of groups.toSorted((one, other) => one.createdAt - other.createdAt)) {
    for (const tag of tags) {
      const version = tag.startsWith(RELEASE_TAG) ? tag.slice(RELEASE_TAG.length) : '';
      if (version !== '' && !firstRuns.has(version)) firstRuns.set(version, createdAt);
    }
  }
  return [...firstRuns].map(([version, at]) => ({ version, at }));
}

export interface FileFailures {
  readonly specSignature: string;
  readonly specFile: string;
  readonly count: number;
  /** By the start of each day. */
  readonly days: readonly { readonly at: number; readonly value: number }[];
}

/** The spec files with the most failed and flaky executions, and their numbers on each day of the period. */
export function listFailuresByFile(
  scope: AnalyticsScope,
  occurrences: readonly Pick<Occurrence, 'specFile' | 'createdAt'>[],
  { period, most }: { readonly period: Period; readonly most: number },
): FileFailures[] {
  const days = listBucketStarts(period, '1d');
  return [...Map.groupBy(occurrences, ({ specFile }) => specFile)]
    .sort(([one, its], [other, others]) => others.length - its.length || compareTexts(one, other))
    .slice(0, most)
    .map(([specFile, all]) => {
      const byDay = Map.groupBy(all, ({ createdAt }) => findBucketStart(createdAt, '1d'));
      return {
        specSignature: deriveSpecSignature({ ...scope, spec: specFile }),
        specFile,
        count: all.length,
        days: days.map((at) => ({ at, value: byDay.get(at)?.length ?? 0 })),
      };
    });
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
