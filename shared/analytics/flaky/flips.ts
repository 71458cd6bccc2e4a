/**
 * A flip is a test with different results on one commit. Flips are computed from the facts of the runs of the commit,
 * and not stored.
 */
import { collectEntries, retryUntilComplete } from '#shared/analytics/collect.ts';
import type { PendingEntry } from '#shared/analytics/entry.ts';
import { readFacts } from '#shared/analytics/facts-reader.ts';
import { isMatchingEntry } from '#shared/analytics/filter.ts';
import { answerWithTestNames, identifyTest } from '#shared/analytics/named.ts';
import type { AnalyticsFilter, AnalyticsScope, Period } from '#shared/analytics/read-model.ts';
import type { StoredSums } from '#shared/analytics/sums.ts';
import { makeTestSums, toTotals } from '#shared/analytics/totals.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { FLAKY_LIMITS } from './limits.ts';

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
  /** The number of failed tests of each run, by run id. */
  readonly failuresByRun: ReadonlyMap<string, number>;
  /** False if the limit `comparedGroups` left some commits out. */
  readonly isWhole: boolean;
}

export async function readFlips(
  services: WithTable,
  scope: AnalyticsScope,
  period: Period,
  filter: AnalyticsFilter,
): Promise<FlipsOfProject> {
  const allEntries = await retryUntilComplete(() => collectEntries(services, { scope, period, filter }));
  // A commit may also have been tested on another branch, whose results are not those of this list.
  const entries = allEntries.filter((entry) => isMatchingEntry(filter, entry));
  const { commits, isWhole } = groupRepeatedCommits(entries);
  const failuresByRun = countFailures(entries);
  if (commits.length === 0) return { bySignature: new Map(), failuresByRun, isWhole };
  const facts = readFacts<StoredSums>(services, scope, commits.flat(), 'tests');
  return answerWithTestNames(services, scope, facts, (storedFacts, names) => {
    const runOf = new Map(commits.flat().map((entry, index) => [entry, toRunOfCommit(entry, storedFacts[index])]));
    const bySignature = new Map<string, Flips[]>();
    for (const commitEntries of commits) {
      for (const [number, flips] of findFlips(commitEntries.flatMap((entry) => runOf.get(entry) ?? []))) {
        const { signature } = identifyTest(scope, names, number);
        bySignature.set(signature, [...(bySignature.get(signature) ?? []), flips]);
      }
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

export interface Flips {
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
