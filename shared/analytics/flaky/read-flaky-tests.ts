/** Reads the tests that are flaky, suspected, recovered or broken, with the evidence for each state. */

import {
  type AnalyticsFilter,
  type AnalyticsScope,
  NO_FILTER,
  type Period,
  type SeriesTotals,
} from '#shared/analytics/read-model.ts';
import { readSeries } from '#shared/analytics/read-series.ts';
import { DAY_MILLISECONDS } from '#shared/engine/time.ts';
import { getLeaf } from '#shared/model/analytics/pending.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { WithClock } from '#shared/services.ts';
import { computeTestMetrics } from '../metrics/test-metrics.ts';
import { DEFAULT_OPTIONS } from '../metrics/tests-wire.ts';
import { addTotals } from '../metrics/totals.ts';
import { type Flips, readFlips } from './flips.ts';
import { FLAKY_LIMITS } from './limits.ts';
import { computeScore, determineFlakyState, type FlakyEvidence, type FlakyState } from './state.ts';

export interface FlakyTest extends FlakyEvidence {
  readonly signature: string;
  readonly specFile: string;
  readonly title: readonly string[];
  readonly state: FlakyState;
  readonly score: number;
  /** Number of executions that both failed and passed within one run, because they were retried. */
  readonly retried: number;
  readonly flips: number;
  readonly failures: number;
  /** The share of executions that passed or failed only on a retry, as lists of tests show it. */
  readonly flakinessRate: number;
  /** `createdAt` of the newest run with a flip. A flip is a test with different results on one commit. */
  readonly lastFlipAt: number | null;
}

export interface FlakyTests {
  readonly tests: readonly FlakyTest[];
  /** Start of the evaluated time window, in epoch milliseconds. */
  readonly from: number;
  /** The number of failed tests of each run, by run id. */
  readonly failuresByRun: ReadonlyMap<string, number>;
  /** Whether all commits that may have flips were compared. False if the limit `comparedGroups` left some out. */
  readonly isWhole: boolean;
}

interface FlakyTestsRequest extends AnalyticsScope {
  readonly defaultBranch: string;
  /** Default: the last days, on all branches. */
  readonly selection?: { readonly period: Period; readonly filter: AnalyticsFilter };
}

/** Reads the flaky tests of a project, in no particular order. */
export async function readFlakyTests(
  services: WithClock,
  { defaultBranch, selection, ...scope }: FlakyTestsRequest,
): Promise<FlakyTests> {
  const now = services.now();
  const { period: window, filter } = selection ?? {
    period: computeLastDays(now, FLAKY_LIMITS.windowDays),
    filter: NO_FILTER,
  };
  const recent = selection
    ? { from: Math.max(window.from, window.to - FLAKY_LIMITS.recoveryDays * DAY_MILLISECONDS), to: window.to }
    : computeLastDays(now, FLAKY_LIMITS.recoveryDays);
  const [allSeries, recentSeries, defaultBranchSeries, { bySignature, failuresByRun, isWhole }] = await Promise.all([
    readSeries(services, scope, window, filter),
    readSeries(services, scope, recent, filter),
    readSeries(services, scope, window, { ...filter, branches: [defaultBranch] }),
    readFlips(services, scope, window, filter),
  ]);
  const recentBySignature = sumSeriesBySignature(recentSeries);
  const defaultBySignature = sumSeriesBySignature(defaultBranchSeries);
  const tests = [...sumSeriesBySignature(allSeries)].flatMap(([signature, { series, ...all }]): FlakyTest[] => {
    const flips = bySignature.get(signature) ?? [];
    const counts = {
      all,
      recent: recentBySignature.get(signature) ?? NONE,
      defaultBranch: defaultBySignature.get(signature) ?? NONE,
    };
    const evidence = gatherEvidence(counts, flips, recent.from);
    const state = determineFlakyState(evidence);
    if (state === undefined) return [];
    return [
      {
        ...evidence,
        signature,
        specFile: series.specFile,
        title: series.title,
        state,
        score: computeScore(evidence),
        flakinessRate: computeTestMetrics(series.totals, DEFAULT_OPTIONS.metric_settings).flakinessRate,
        lastFlipAt: flips.length > 0 ? Math.max(...flips.map(({ lastAt }) => lastAt)) : null,
        retried: all.retried,
        flips: sumFlips(flips),
        failures: all.failures,
      },
    ];
  });
  return { tests, from: window.from, failuresByRun, isWhole };
}

/** `recentFrom`: flips since this time are recent, in epoch milliseconds. */
function gatherEvidence(
  { all, recent, defaultBranch }: Readonly<Record<'all' | 'recent' | 'defaultBranch', ExecutionCounts>>,
  flips: readonly Flips[],
  recentFrom: number,
): FlakyEvidence {
  const recentFlips = flips.filter(({ lastAt }) => lastAt >= recentFrom);
  return {
    events: all.retried + sumFlips(flips),
    executions: all.executions,
    recent: { events: recent.retried + sumFlips(recentFlips), executions: recent.executions },
    defaultBranch: { failures: defaultBranch.failures, executions: defaultBranch.executions },
  };
}

/** Extended to the start of a leaf span, because reading its summary costs less than reading single runs. */
const computeLastDays = (now: number, days: number): Period => ({
  from: getLeaf(now - days * DAY_MILLISECONDS) * MODEL_LIMITS.leafMilliseconds,
  to: now + 1,
});

const sumFlips = (flips: readonly Flips[]): number => flips.reduce((total, { count }) => total + count, 0);

interface ExecutionCounts {
  readonly executions: number;
  readonly failures: number;
  readonly retried: number;
}

const NONE: ExecutionCounts = { executions: 0, failures: 0, retried: 0 };

interface TestCounts extends ExecutionCounts {
  /** The newest series of the test, with the totals of all of them. */
  readonly series: SeriesTotals;
}

/** Adds up the series of each test, because a test has several series if its tags or annotations changed. */
function sumSeriesBySignature(allSeries: readonly SeriesTotals[]): Map<string, TestCounts> {
  const countsBySignature = new Map<string, TestCounts>();
  for (const [signature, [first, ...others]] of Map.groupBy(allSeries, (series) => series.signature)) {
    if (!first) continue;
    const totals = others.reduce((sum, other) => addTotals(sum, other.totals), first.totals);
    const { executions, flaky } = totals;
    countsBySignature.set(signature, {
      series: { ...first, ...others.at(-1), totals },
      executions: executions.passed + executions.failed,
      failures: executions.failed,
      retried: flaky.passed + flaky.failed,
    });
  }
  return countsBySignature;
}
