/** Reads the tests that are flaky, suspected, recovered or broken, with the evidence for each state. */

import { collectEntries, untilComplete } from '#shared/analytics/collect.ts';
import type { PendingEntry } from '#shared/analytics/entry.ts';
import { readFacts } from '#shared/analytics/facts-reader.ts';
import { testOfSeries, withNamesOfTests } from '#shared/analytics/named.ts';
import {
  type AnalyticsFilter,
  type AnalyticsScope,
  NO_FILTER,
  type Period,
  type SeriesTotals,
} from '#shared/analytics/read-model.ts';
import { readSeries } from '#shared/analytics/read-series.ts';
import type { StoredSums } from '#shared/analytics/sums.ts';
import { testSums, totalsOf } from '#shared/analytics/totals.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { getLeaf } from '#shared/model/analytics/pending.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { WithClock } from '#shared/services.ts';
import { FLAKY_LIMITS } from './limits.ts';
import { type FlakyEvidence, type FlakyState, flakyStateOf, scoreOf } from './state.ts';

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
  /** `createdAt` of the newest run with a flip. A flip is a test with different results on one commit. */
  readonly lastFlipAt: number | null;
}

export interface FlakyTests {
  readonly tests: readonly FlakyTest[];
  /** Start of the evaluated time window, in epoch milliseconds. */
  readonly from: number;
  /** Whether all commits that may have flips were compared. False if the limit `comparedGroups` left some out. */
  readonly isWhole: boolean;
}

/** Reads the flaky tests of a project, in no particular order. */
export async function readFlakyTests(
  services: WithClock,
  { defaultBranch, ...scope }: AnalyticsScope & { readonly defaultBranch: string },
): Promise<FlakyTests> {
  const now = services.now();
  const window = lastDays(now, FLAKY_LIMITS.windowDays);
  const recent = lastDays(now, FLAKY_LIMITS.recoveryDays);
  const [all, latest, onDefault, { bySignature, isWhole }] = await Promise.all([
    readSeries(services, scope, window, NO_FILTER),
    readSeries(services, scope, recent, NO_FILTER),
    readSeries(services, scope, window, { ...NO_FILTER, branches: [defaultBranch] }),
    readFlips(services, scope, window, NO_FILTER),
  ]);
  const recentOf = totalsBySignature(latest);
  const defaultOf = totalsBySignature(onDefault);
  const tests = [...totalsBySignature(all)].flatMap(([signature, own]): FlakyTest[] => {
    const flips = bySignature.get(signature) ?? [];
    const now7 = recentOf.get(signature) ?? NONE;
    const ofDefault = defaultOf.get(signature) ?? NONE;
    const newFlips = flips.filter(({ lastAt }) => lastAt >= recent.from);
    const evidence: FlakyEvidence = {
      events: own.retried + sumOf(flips),
      executions: own.executions,
      recent: { events: now7.retried + sumOf(newFlips), executions: now7.executions },
      defaultBranch: { failures: ofDefault.failures, executions: ofDefault.executions },
    };
    const state = flakyStateOf(evidence);
    if (state === undefined) return [];
    const { title, specFile } = own.about;
    const lastFlipAt = flips.length > 0 ? Math.max(...flips.map(({ lastAt }) => lastAt)) : null;
    const found = { signature, specFile, title, state, score: scoreOf(evidence), lastFlipAt };
    return [{ ...evidence, ...found, retried: own.retried, flips: sumOf(flips), failures: own.failures }];
  });
  return { tests, from: window.from, isWhole };
}

/**
 * The last `days` days, extended to the start of a leaf span, because reading its summary costs less than reading
 * single runs.
 */
const lastDays = (now: number, days: number): Period => ({
  from: getLeaf(now - days * MILLISECONDS_A_DAY) * MODEL_LIMITS.leafMilliseconds,
  to: now + 1,
});

const sumOf = (flips: readonly Flips[]): number => flips.reduce((total, { count }) => total + count, 0);

interface Counted {
  readonly executions: number;
  readonly failures: number;
  readonly retried: number;
}

const NONE: Counted = { executions: 0, failures: 0, retried: 0 };

/** Adds up the series of each test, because a test has several series if its tags or annotations changed. */
function totalsBySignature(series: readonly SeriesTotals[]): Map<string, Counted & { readonly about: SeriesTotals }> {
  const found = new Map<string, Counted & { readonly about: SeriesTotals }>();
  for (const about of series) {
    const { executions, flaky } = about.totals;
    const before = found.get(about.signature) ?? NONE;
    found.set(about.signature, {
      about,
      executions: before.executions + executions.passed + executions.failed,
      failures: before.failures + executions.failed,
      retried: before.retried + flaky.passed + flaky.failed,
    });
  }
  return found;
}

// Computes flips from the facts of runs of the same commit. A flip is a test with different results on one commit.
// Flips are not stored.

/**
 * Groups the entries by commit, group id and environment, newest first. Leaves out a commit if it has only one entry,
 * if no test failed on it or if none passed, because its tests cannot have different results. Also leaves out the
 * oldest commits if all together have more entries than the limit `comparedGroups`; `isWhole` is then false.
 */
function repeatedCommits(entries: readonly PendingEntry[]) {
  const known = entries.filter(({ sha }) => sha !== null);
  const byCommit = Map.groupBy(known, ({ sha, groupId, environment }) => JSON.stringify([sha, groupId, environment]));
  const candidates = [...byCommit.values()].filter(
    (own) =>
      own.length > 1 &&
      own.some(({ counters }) => counters.failures > 0) &&
      own.some(({ counters }) => counters.passes > 0),
  );
  const newest = candidates.sort((one, other) => newestOf(other) - newestOf(one));
  const commits: PendingEntry[][] = [];
  let room: number = FLAKY_LIMITS.comparedGroups;
  for (const own of newest) {
    if (own.length > room) break;
    commits.push(own);
    room -= own.length;
  }
  return { commits, isWhole: commits.length === newest.length };
}

const newestOf = (entries: readonly PendingEntry[]): number => Math.max(...entries.map(({ createdAt }) => createdAt));

interface FlipsOfProject {
  /**
   * The flips (different results on one commit) of each test, by test signature. A test has one array element per
   * commit, group id and environment for which its results differ.
   */
  readonly bySignature: ReadonlyMap<string, readonly Flips[]>;
  readonly isWhole: boolean;
}

export async function readFlips(
  services: WithTable,
  scope: AnalyticsScope,
  period: Period,
  filter: AnalyticsFilter,
): Promise<FlipsOfProject> {
  const entries = await untilComplete(() => collectEntries(services, { scope, period, filter }));
  const { commits, isWhole } = repeatedCommits(entries);
  if (commits.length === 0) return { bySignature: new Map(), isWhole };
  const facts = readFacts<StoredSums>(services, scope, commits.flat(), 'tests');
  return withNamesOfTests(services, scope, facts, (found, names) => {
    const runOf = new Map(commits.flat().map((entry, index) => [entry, runOfCommit(entry, found[index])]));
    const flips = commits.flatMap((own) => [...flipsOf(own.flatMap((entry) => runOf.get(entry) ?? []))]);
    const bySignature = new Map<string, Flips[]>();
    for (const [number, one] of flips) {
      const { signature } = testOfSeries(scope, names, number);
      bySignature.set(signature, [...(bySignature.get(signature) ?? []), one]);
    }
    return { bySignature, isWhole };
  });
}

function runOfCommit({ createdAt }: PendingEntry, facts: StoredSums | undefined): RunOfCommit<number> | undefined {
  if (!facts) return undefined;
  const sums = testSums();
  sums.add(facts);
  const rows = sums.rows().map(({ number, sums: fields }) => ({ number, ...totalsOf(fields).executions }));
  const passed = new Set(rows.filter((row) => row.passed > 0).map(({ number }) => number));
  const failed = rows.filter((row) => row.failed > 0 && row.passed === 0).map(({ number }) => number);
  return { createdAt, passed, failed: new Set(failed) };
}

// Finds tests that both passed and failed on one commit, in the same group and environment.

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

/**
 * Finds the tests that had different results in runs of the same commit. The result does not depend on the order of the
 * runs.
 */
export function flipsOf<Test>(runs: readonly RunOfCommit<Test>[]): Map<Test, Flips> {
  const usable = runs.filter((run) => !hasMostlyFailed(run));
  const differing = new Map<Test, Set<RunOfCommit<Test>>>();
  for (const [index, one] of usable.entries()) {
    for (const other of usable.slice(index + 1)) {
      for (const test of differences(one, other)) {
        const known = differing.get(test) ?? new Set();
        differing.set(test, known.add(one).add(other));
      }
    }
  }
  return new Map([...differing].map(([test, runsOfTest]) => [test, countOf(test, [...runsOfTest])]));
}

const hasMostlyFailed = ({ passed, failed }: RunOfCommit<unknown>): boolean => {
  const { tests, share } = FLAKY_LIMITS.failedRun;
  const all = passed.size + failed.size;
  return all >= tests && failed.size > all * share;
};

/**
 * The tests with different results in two runs. Returns no tests if so many differ that the environment must have
 * changed.
 */
function differences<Test>(one: RunOfCommit<Test>, other: RunOfCommit<Test>): Test[] {
  const flipped = [
    ...[...one.failed].filter((test) => other.passed.has(test)),
    ...[...other.failed].filter((test) => one.passed.has(test)),
  ];
  const compared = [...one.passed, ...one.failed].filter((test) => other.passed.has(test) || other.failed.has(test));
  const { flips, share } = FLAKY_LIMITS.differingRuns;
  return flipped.length >= flips && flipped.length > compared.length * share ? [] : flipped;
}

function countOf<Test>(test: Test, runs: readonly RunOfCommit<Test>[]): Flips {
  const passes = runs.filter(({ passed }) => passed.has(test)).length;
  return {
    count: Math.min(passes, runs.length - passes),
    lastAt: Math.max(...runs.map(({ createdAt }) => createdAt)),
  };
}
