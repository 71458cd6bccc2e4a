/** Reads the tests that are flaky, suspected, recovered or broken, with the evidence for each state. */

import { collectEntries, retryUntilComplete } from '#shared/analytics/collect.ts';
import type { PendingEntry } from '#shared/analytics/entry.ts';
import { readFacts } from '#shared/analytics/facts-reader.ts';
import { isMatchingEntry } from '#shared/analytics/filter.ts';
import { answerWithTestNames, identifyTest } from '#shared/analytics/named.ts';
import {
  type AnalyticsFilter,
  type AnalyticsScope,
  NO_FILTER,
  type Period,
  type SeriesTotals,
} from '#shared/analytics/read-model.ts';
import { readSeries } from '#shared/analytics/read-series.ts';
import type { StoredSums } from '#shared/analytics/sums.ts';
import { makeTestSums, toTotals } from '#shared/analytics/totals.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { getLeaf } from '#shared/model/analytics/pending.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { WithClock } from '#shared/services.ts';
import { computeTestMetrics } from '../metrics/test-metrics.ts';
import { DEFAULT_OPTIONS } from '../metrics/tests-wire.ts';
import { addTotals } from '../metrics/totals.ts';
import { FLAKY_LIMITS } from './limits.ts';
import { computeScore, determineFlakyState, type FlakyEvidence, type FlakyState } from './state.ts';

const MILLISECONDS_A_DAY = 86_400_000;

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
    ? { from: Math.max(window.from, window.to - FLAKY_LIMITS.recoveryDays * MILLISECONDS_A_DAY), to: window.to }
    : computeLastDays(now, FLAKY_LIMITS.recoveryDays);
  const [allSeries, recentSeries, defaultBranchSeries, { bySignature, failuresByRun, isWhole }] = await Promise.all([
    readSeries(services, scope, window, filter),
    readSeries(services, scope, recent, filter),
    readSeries(services, scope, window, { ...filter, branches: [defaultBranch] }),
    readFlips(services, scope, window, filter),
  ]);
  const recentBySignature = sumSeriesBySignature(recentSeries);
  const defaultBySignature = sumSeriesBySignature(defaultBranchSeries);
  const tests = [...sumSeriesBySignature(allSeries)].flatMap(([signature, counts]): FlakyTest[] => {
    const flips = bySignature.get(signature) ?? [];
    const recentCounts = recentBySignature.get(signature) ?? NONE;
    const defaultBranchCounts = defaultBySignature.get(signature) ?? NONE;
    const newFlips = flips.filter(({ lastAt }) => lastAt >= recent.from);
    const evidence: FlakyEvidence = {
      events: counts.retried + sumFlips(flips),
      executions: counts.executions,
      recent: { events: recentCounts.retried + sumFlips(newFlips), executions: recentCounts.executions },
      defaultBranch: { failures: defaultBranchCounts.failures, executions: defaultBranchCounts.executions },
    };
    const state = determineFlakyState(evidence);
    if (state === undefined) return [];
    const { title, specFile, totals } = counts.about;
    const lastFlipAt = flips.length > 0 ? Math.max(...flips.map(({ lastAt }) => lastAt)) : null;
    const { flakinessRate } = computeTestMetrics(totals, DEFAULT_OPTIONS.metric_settings);
    const verdict = { signature, specFile, title, state, score: computeScore(evidence), flakinessRate, lastFlipAt };
    return [{ ...evidence, ...verdict, retried: counts.retried, flips: sumFlips(flips), failures: counts.failures }];
  });
  return { tests, from: window.from, failuresByRun, isWhole };
}

/** Extended to the start of a leaf span, because reading its summary costs less than reading single runs. */
const computeLastDays = (now: number, days: number): Period => ({
  from: getLeaf(now - days * MILLISECONDS_A_DAY) * MODEL_LIMITS.leafMilliseconds,
  to: now + 1,
});

const sumFlips = (flips: readonly Flips[]): number => flips.reduce((total, { count }) => total + count, 0);

interface ExecutionCounts {
  readonly executions: number;
  readonly failures: number;
  readonly retried: number;
}

const NONE: ExecutionCounts = { executions: 0, failures: 0, retried: 0 };

/** Adds up the series of each test, because a test has several series if its tags or annotations changed. */
function sumSeriesBySignature(
  series: readonly SeriesTotals[],
): Map<string, ExecutionCounts & { readonly about: SeriesTotals }> {
  const countsBySignature = new Map<string, ExecutionCounts & { readonly about: SeriesTotals }>();
  for (const [signature, all] of Map.groupBy(series, (one) => one.signature)) {
    const [first, ...others] = all;
    if (!first) continue;
    const totals = others.reduce((sum, one) => addTotals(sum, one.totals), first.totals);
    const { executions, flaky } = totals;
    countsBySignature.set(signature, {
      about: { ...first, ...others.at(-1), totals },
      executions: executions.passed + executions.failed,
      failures: executions.failed,
      retried: flaky.passed + flaky.failed,
    });
  }
  return countsBySignature;
}

// Computes flips from the facts of runs of the same commit. A flip is a test with different results on one commit.
// Flips are not stored.

/**
 * Groups the entries by commit, group id and environment, newest first. Leaves out a commit if it has only one entry,
 * if no test failed on it or if none passed, because its tests cannot have different results. Also leaves out the
 * oldest commits if all together have more entries than the limit `comparedGroups`; `isWhole` is then false.
 */
function groupRepeatedCommits(entries: readonly PendingEntry[]) {
  const entriesWithCommit = entries.filter(({ sha }) => sha !== null);
  const byCommit = Map.groupBy(entriesWithCommit, ({ sha, groupId, environment }) =>
    JSON.stringify([sha, groupId, environment]),
  );
  const candidates = [...byCommit.values()].filter(
    (commitEntries) =>
      commitEntries.length > 1 &&
      commitEntries.some(({ counters }) => counters.failures > 0) &&
      commitEntries.some(({ counters }) => counters.passes > 0),
  );
  const sortedCommits = candidates.sort((one, other) => findNewestTime(other) - findNewestTime(one));
  const commits: PendingEntry[][] = [];
  let room: number = FLAKY_LIMITS.comparedGroups;
  for (const commitEntries of sortedCommits) {
    if (commitEntries.length > room) break;
    commits.push(commitEntries);
    room -= commitEntries.length;
  }
  return { commits, isWhole: commits.length === sortedCommits.length };
}

const findNewestTime = (entries: readonly PendingEntry[]): number =>
  Math.max(...entries.map(({ createdAt }) => createdAt));

interface FlipsOfProject {
  /** By test signature, one element per commit, group id and environment for which the results of the test differ. */
  readonly bySignature: ReadonlyMap<string, readonly Flips[]>;
  readonly failuresByRun: FlakyTests['failuresByRun'];
  readonly isWhole: boolean;
}

export async function readFlips(
  services: WithTable,
  scope: AnalyticsScope,
  period: Period,
  filter: AnalyticsFilter,
): Promise<FlipsOfProject> {
  const entries = await retryUntilComplete(() => collectEntries(services, { scope, period, filter }));
  const { commits, isWhole } = groupRepeatedCommits(entries);
  const failuresByRun = countFailures(entries.filter((entry) => isMatchingEntry(filter, entry)));
  if (commits.length === 0) return { bySignature: new Map(), failuresByRun, isWhole };
  const facts = readFacts<StoredSums>(services, scope, commits.flat(), 'tests');
  return answerWithTestNames(services, scope, facts, (storedFacts, names) => {
    const runOf = new Map(commits.flat().map((entry, index) => [entry, toRunOfCommit(entry, storedFacts[index])]));
    const flips = commits.flatMap((commitEntries) => [
      ...findFlips(commitEntries.flatMap((entry) => runOf.get(entry) ?? [])),
    ]);
    const bySignature = new Map<string, Flips[]>();
    for (const [number, one] of flips) {
      const { signature } = identifyTest(scope, names, number);
      bySignature.set(signature, [...(bySignature.get(signature) ?? []), one]);
    }
    return { bySignature, failuresByRun, isWhole };
  });
}

function countFailures(entries: readonly PendingEntry[]): ReadonlyMap<string, number> {
  const failuresByRun = new Map<string, number>();
  for (const { runId, counters } of entries)
    failuresByRun.set(runId, (failuresByRun.get(runId) ?? 0) + counters.failures);
  return failuresByRun;
}

function toRunOfCommit({ createdAt }: PendingEntry, facts: StoredSums | undefined): RunOfCommit<number> | undefined {
  if (!facts) return undefined;
  const sums = makeTestSums();
  sums.add(facts);
  const rows = sums.rows().map(({ number, sums: fields }) => ({ number, ...toTotals(fields).executions }));
  const passedNumbers = new Set(rows.filter((row) => row.passed > 0).map(({ number }) => number));
  const failedNumbers = rows.filter((row) => row.failed > 0 && row.passed === 0).map(({ number }) => number);
  return { createdAt, passed: passedNumbers, failed: new Set(failedNumbers) };
}

/** A group of one run, with its passed and failed tests. `Test` is whatever identifies a test. */
export interface RunOfCommit<Test> {
  readonly createdAt: number;
  readonly passed: ReadonlySet<Test>;
  readonly failed: ReadonlySet<Test>;
}

interface Flips {
  readonly count: number;
  /** `createdAt` of the newest of the runs in which the test had different results. */
  readonly lastAt: number;
}

/** The result does not depend on the order of the runs. */
export function findFlips<Test>(runs: readonly RunOfCommit<Test>[]): Map<Test, Flips> {
  const usableRuns = runs.filter((run) => !hasMostlyFailed(run));
  const differing = new Map<Test, Set<RunOfCommit<Test>>>();
  for (const [index, one] of usableRuns.entries()) {
    for (const other of usableRuns.slice(index + 1)) {
      for (const test of listDifferingTests(one, other)) {
        const differingRuns = differing.get(test) ?? new Set();
        differing.set(test, differingRuns.add(one).add(other));
      }
    }
  }
  return new Map([...differing].map(([test, runsOfTest]) => [test, countFlips(test, [...runsOfTest])]));
}

const hasMostlyFailed = ({ passed, failed }: RunOfCommit<unknown>): boolean => {
  const { tests, share } = FLAKY_LIMITS.failedRun;
  const all = passed.size + failed.size;
  return all >= tests && failed.size > all * share;
};

/** Returns no tests if so many differ that the environment must have changed. */
function listDifferingTests<Test>(one: RunOfCommit<Test>, other: RunOfCommit<Test>): Test[] {
  const flippedTests = [
    ...[...one.failed].filter((test) => other.passed.has(test)),
    ...[...other.failed].filter((test) => one.passed.has(test)),
  ];
  const comparedTests = [...one.passed, ...one.failed].filter(
    (test) => other.passed.has(test) || other.failed.has(test),
  );
  const { flips, share } = FLAKY_LIMITS.differingRuns;
  return flippedTests.length >= flips && flippedTests.length > comparedTests.length * share ? [] : flippedTests;
}

function countFlips<Test>(test: Test, runs: readonly RunOfCommit<Test>[]): Flips {
  const passes = runs.filter(({ passed }) => passed.has(test)).length;
  return {
    count: Math.min(passes, runs.length - passes),
    lastAt: Math.max(...runs.map(({ createdAt }) => createdAt)),
  };
}
