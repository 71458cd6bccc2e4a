/**
 * The merged view of a CI build with several tries. The newest execution of each test counts, see
 * `newest-executions.ts`. The run of the newest try shows it; the runs of earlier tries show what they recorded.
 */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { failures, getMarkedFailuresSpan } from '#shared/model/results/failures.ts';
import { instances } from '#shared/model/results/instance.ts';
import { type Counters, sumCounters } from '#shared/model/results/outcomes.ts';
import { buildTries, getTriesSpan } from '#shared/model/runs/build-tries.ts';
import { groups } from '#shared/model/runs/group.ts';
import { type CompletionState, getRunMembersSpan, type Run, type RunStatus, runs } from '#shared/model/runs/run.ts';
import { buildRunOfCommit, findCommitKey, type RunOfCommit, runsOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { RESULT_LIMITS } from '../limits.ts';
import type { BuildOfTries } from '../runs/run-wire.ts';
import { getTestIdentity, mergeRuns, sortRuns } from './merge-runs.ts';
import { type BuildState, type MergedBuild, pickWorstState } from './merged-build.ts';

interface Tries {
  /** The runs of the newest tries, the oldest first. */
  readonly tries: readonly Run[];
  /** Whether these are all tries of the build. */
  readonly isWhole: boolean;
}

/** Reads the tries of the build of a run. Reads nothing for a run that is no try. */
export async function readTries({ table }: WithTable, run: Run): Promise<Tries> {
  const { tryOf } = run;
  if (!tryOf) return { tries: [run], isWhole: true };
  const options = { consistent: true, limit: RESULT_LIMITS.commit.tries, newestFirst: true };
  const { rows, lastRead } = await table.query(buildTries, getTriesSpan({ ...run, build: tryOf.build }), options);
  const keys = rows.map(({ item }) => item);
  const tries = sortRuns((await table.getMany(runs, keys, { consistent: true })).filter((one) => one !== undefined));
  return { tries, isWhole: lastRead === undefined };
}

/**
 * `undefined` if the build has one try. For a run that is no try, nothing is read; else a query, two batches and more.
 */
export async function readMergedBuild(services: WithTable, run: Run): Promise<MergedBuild | undefined> {
  const { tries, isWhole } = await readTries(services, run);
  const newestTry = tries.at(-1);
  if (!newestTry || tries.length < 2) return undefined;
  const facts = await Promise.all(tries.map((one) => readRunFacts(services, one)));
  const { runs: states, ...tests } = await mergeRuns(services, facts, { onlyStates: false });
  // Failures of tries that were not read may still count.
  const state = isWhole ? pickWorstState(states.map((one) => one.state)) : 'failed';
  const flaky = await countFlaky(services, { tries, ...tests });
  return { tries, newest: newestTry, state, ...tests, flaky, isWhole: isWhole && tests.isWhole };
}

/** Counts the tests that were flaky in any try, without those that still fail. */
async function countFlaky(
  { table }: WithTable,
  { tries, open, repaired }: Pick<MergedBuild, 'tries' | 'open' | 'repaired'>,
): Promise<number> {
  const withFlaky = tries.filter((run) => sumCounters((run.groups ?? []).map(({ tests }) => tests)).flaky > 0);
  const options = { consistent: true, limit: RESULT_LIMITS.commit.testsOfRun };
  const flakyPages = await mapConcurrently(withFlaky, (run) =>
    table.query(failures, getMarkedFailuresSpan(run, 'y'), options),
  );
  const all = [...repaired, ...flakyPages.flatMap(({ rows }) => rows.map(({ item }) => item))];
  const failingPlaces = new Set(open.map(getTestIdentity));
  return new Set(all.map(getTestIdentity).filter((place) => !failingPlaces.has(place))).size;
}

/** The merged view, if the run is the newest try of its build and so shows it. */
export async function readShownBuild(services: WithTable, run: Run): Promise<MergedBuild | undefined> {
  const build = await readMergedBuild(services, run);
  return build?.newest.runId === run.runId ? build : undefined;
}

/** What a merge needs to know of a run. A run without a complete commit hash has no row of its commit. */
async function readRunFacts({ table }: WithTable, run: Run): Promise<RunOfCommit> {
  const key = findCommitKey(run);
  const storedFacts = key && (await table.get(runsOfCommit, key, { consistent: true }));
  if (storedFacts) return { ...storedFacts, tryOf: run.tryOf };
  const [members, all] = await Promise.all([
    table.queryAll(groups, getRunMembersSpan(run, 'GROUP'), { consistent: true }),
    table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true }),
  ]);
  return buildRunOfCommit(run, { groupIds: members.map(({ groupId }) => groupId), instances: all });
}

/** The status of the merged view, in the words for runs. */
const STATUS_OF_BUILD = {
  passed: { status: 'PASSED', completionState: 'COMPLETE' },
  failed: { status: 'FAILED', completionState: 'COMPLETE' },
  canceled: { status: 'FAILED', completionState: 'CANCELED' },
  running: { status: 'RUNNING', completionState: 'IN_PROGRESS' },
} as const satisfies Readonly<
  Record<BuildState, { readonly status: RunStatus; readonly completionState: CompletionState }>
>;

/**
 * Counts the tests of the merged view. Each failure that counts is one; the number of all tests is that of the try with
 * most of them, by group, because a later try usually repeats a part of an earlier one.
 */
export function countMergedTests({ tries, open, flaky, isWhole }: MergedBuild): Counters {
  const last = tries.at(-1);
  const groupIds = new Set(tries.flatMap((run) => (run.groups ?? []).map(({ groupId }) => groupId)));
  const largest = [...groupIds].map((groupId) => {
    const all = tries.flatMap((run) =>
      (run.groups ?? []).flatMap((group) => (group.groupId === groupId ? group.tests : [])),
    );
    return all.reduce((one, other) => (other.overall > one.overall ? other : one));
  });
  const { overall, pending, retries } = sumCounters(largest);
  if (!isWhole) return sumCounters((last?.groups ?? []).map(({ tests }) => tests));
  const failedCount = open.filter(({ mark }) => mark === 'f').length;
  const skippedCount = open.length - failedCount;
  const all = Math.max(overall, pending + failedCount + skippedCount);
  return {
    overall: all,
    passes: all - pending - failedCount - skippedCount,
    failures: failedCount,
    pending,
    skipped: skippedCount,
    flaky: Math.min(all, flaky),
    retries,
  };
}

/** How a response shows the tries of a build. `undefined` if the build has one try. */
export async function presentBuild(services: WithTable, run: Run): Promise<z.infer<typeof BuildOfTries> | undefined> {
  const build = await readMergedBuild(services, run);
  if (!build) return undefined;
  return {
    ...STATUS_OF_BUILD[build.state],
    newestRunId: build.newest.runId,
    tests: countMergedTests(build),
    tries: build.tries.map(({ runId, ciBuildId, createdAt, status, completionState }) => ({
      runId,
      ciBuildId,
      createdAt: formatIsoTime(createdAt),
      status,
      completionState,
    })),
  };
}
