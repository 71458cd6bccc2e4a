/**
 * Merges runs of one commit: which of their failed tests still count, which runs are red, and which tests failed in one
 * try of a build and passed in a later one. `newest-executions.ts` has the rule for the executions of a test.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Failure, failures, getMarkedFailuresSpan, type Mark } from '#shared/model/results/failures.ts';
import { getJoinsSpan, joins } from '#shared/model/runs/join.ts';
import { isUnderWay } from '#shared/model/runs/run.ts';
import { getMissingSpecDigests, getSpecDigests, type RunOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { type FailedTest, findJobs, findPassedExecutions } from './find-executions.ts';
import type { BuildState } from './merged-build.ts';
import { type ExecutionInRun, mergeExecutions, type TestInRun } from './newest-executions.ts';

interface MergedRuns {
  readonly runs: readonly { readonly run: RunOfCommit; readonly state: BuildState }[];
  /** The failed and skipped executions that still count. Those of runs with too many of them are missing. */
  readonly open: readonly Failure[];
  /** The failed executions of tests that passed in a later try of the same build, so that the tests are flaky. */
  readonly repaired: readonly Failure[];
  /** Whether `open` and `repaired` have all tests. */
  readonly isWhole: boolean;
}

const LIMITS = RESULT_LIMITS.commit;
const CONSISTENT = { consistent: true } as const;

/** All tries of a CI build are one build. */
export const getBuildId = ({ tryOf, runId }: Pick<RunOfCommit, 'tryOf' | 'runId'>): string => tryOf?.build ?? runId;

/** Builds by creation, and tries by their numbers, because a report of an earlier try may arrive after a later one. */
export function sortRuns<Of extends Pick<RunOfCommit, 'tryOf' | 'runId' | 'createdAt'>>(runs: readonly Of[]): Of[] {
  const byCreation = runs.toSorted((one, other) => one.createdAt - other.createdAt);
  const triesByBuild = new Map<string, Iterator<Of, undefined>>();
  for (const [build, tries] of Map.groupBy(byCreation, getBuildId))
    triesByBuild.set(build, tries.toSorted(compareTries).values());
  // A build keeps the places of its runs, and fills them in the order of its tries.
  return byCreation.map((run) => triesByBuild.get(getBuildId(run))?.next().value ?? run);
}

const compareTries = ({ tryOf: one }: Pick<RunOfCommit, 'tryOf'>, { tryOf: other }: Pick<RunOfCommit, 'tryOf'>) =>
  (one?.attempt ?? 1) - (other?.attempt ?? 1) || (one?.again ?? 1) - (other?.again ?? 1);

/**
 * Merges runs in the order of `sortRuns`. `onlyStates`: the tests are not asked for, so a run whose spec files no later
 * run has executed is red without a further read.
 */
export async function mergeRuns(
  services: WithTable,
  inRows: readonly RunOfCommit[],
  { onlyStates }: { readonly onlyStates: boolean },
): Promise<MergedRuns> {
  const runs = await completeJobs(services, inRows);
  const endedRuns = runs.filter((run) => !isUnderWay(run));
  const red = endedRuns.flatMap((run, index) =>
    (run.failed ?? 0) > 0 ? [{ run, later: endedRuns.slice(index + 1) }] : [],
  );
  const failingIds = new Set<string>();
  const listedRuns: RunOfCommit[] = [];
  for (const { run, later } of red) {
    const isHuge = (run.failed ?? 0) > LIMITS.testsOfRun;
    const isLast = onlyStates && !later.some((other) => haveCommonSpecs(run, other));
    if (isHuge && !later.some((other) => isWholeRepetition(run, other))) failingIds.add(run.runId);
    if (!isHuge && isLast) failingIds.add(run.runId);
    if (!isHuge && !isLast) listedRuns.push(run);
  }
  const { open, repaired } = await mergeTests(services, endedRuns, listedRuns);
  for (const { runId } of open) failingIds.add(runId);
  const states = runs.map((run, index) => ({
    run,
    state: deriveState(run, runs.slice(index + 1), failingIds.has(run.runId)),
  }));
  return { runs: states, open, repaired, isWhole: listedRuns.length === red.length };
}

function deriveState(run: RunOfCommit, laterRuns: readonly RunOfCommit[], isFailing: boolean): BuildState {
  if (isUnderWay(run)) return 'running';
  if (!isFailing && !(isPartial(run) && !isRepeated(run, laterRuns))) return 'passed';
  return run.completionState === 'CANCELED' ? 'canceled' : 'failed';
}

/** Whether the run failed for another reason than its tests. */
const isPartial = ({ completionState, broken }: RunOfCommit): boolean =>
  completionState === 'CANCELED' || completionState === 'TIMEOUT' || broken === true;

/**
 * Completes the names of jobs where they decide: if a run failed as a whole, and the row of it or of a run that may have
 * repeated it has no room for all of them.
 */
async function completeJobs({ table }: WithTable, runs: readonly RunOfCommit[]): Promise<readonly RunOfCommit[]> {
  const isFull = ({ tryOf, jobs = [] }: RunOfCommit) => tryOf !== undefined && jobs.length >= MODEL_LIMITS.jobsOfRun;
  if (!runs.some(isPartial) || !runs.some(isFull)) return runs;
  return mapConcurrently(runs, async (run) => {
    if (!isFull(run)) return run;
    const rows = await table.queryAll(joins, getJoinsSpan(run), CONSISTENT);
    return { ...run, jobs: [...new Set([...(run.jobs ?? []), ...rows.flatMap(({ job }) => job ?? [])])] };
  });
}

/**
 * Whether later complete runs have repeated it: those of another build with the same groups, or tries with the jobs
 * that failed, if clients named them, because a try may repeat only some jobs.
 */
function isRepeated(run: RunOfCommit, laterRuns: readonly RunOfCommit[]): boolean {
  const completeRuns = laterRuns.filter(({ completionState }) => completionState === 'COMPLETE');
  if (completeRuns.some((other) => getBuildId(other) !== getBuildId(run) && other.groups === run.groups)) return true;
  const tries = completeRuns.filter((other) => getBuildId(other) === getBuildId(run));
  if (!haveExecuted(tries, getMissingSpecDigests(run))) return false;
  const { jobs = [], failedJobs = [] } = run;
  const isKnown = run.completionState === 'COMPLETE' && failedJobs.length > 0 && !failedJobs.includes('');
  const toRepeat = isKnown ? failedJobs : jobs;
  if (toRepeat.length === 0) return tries.some((other) => other.groups === run.groups);
  return toRepeat.every((job) => tries.some((other) => other.jobs?.includes(job)));
}

/** Whether the tries have executed the spec files, as far as it is known which ones they have executed. */
function haveExecuted(tries: readonly RunOfCommit[], specs: ReadonlySet<string>): boolean {
  const executedSpecs = tries.map(getSpecDigests);
  return executedSpecs.includes(undefined) || [...specs].every((spec) => executedSpecs.some((one) => one?.has(spec)));
}

/** Decides for a run with so many failed tests that looking each of them up would cost too much. */
const isWholeRepetition = (run: RunOfCommit, laterRun: RunOfCommit): boolean =>
  laterRun.completionState === 'COMPLETE' &&
  laterRun.groups === run.groups &&
  laterRun.status === 'PASSED' &&
  (laterRun.executed ?? 0) >= (run.executed ?? 0);

function haveCommonSpecs(run: RunOfCommit, laterRun: RunOfCommit): boolean {
  const [ownSpecs, laterSpecs] = [getSpecDigests(run), getSpecDigests(laterRun)];
  return !ownSpecs || !laterSpecs || [...ownSpecs].some((spec) => laterSpecs.has(spec));
}

interface MergedTests {
  readonly open: readonly Failure[];
  readonly repaired: readonly Failure[];
}

async function mergeTests(
  services: WithTable,
  endedRuns: readonly RunOfCommit[],
  listedRuns: readonly RunOfCommit[],
): Promise<MergedTests> {
  const testsByIdentity = new Map<string, FailedTest>();
  for (const runFailures of await mapConcurrently(listedRuns, (run) => readFailures(services, run)))
    for (const failure of runFailures) {
      const identity = getTestIdentity(failure);
      const test = testsByIdentity.get(identity) ?? { first: failure, failuresByRun: new Map<string, Failure[]>() };
      testsByIdentity.set(identity, test);
      test.failuresByRun.set(failure.runId, [...(test.failuresByRun.get(failure.runId) ?? []), failure]);
    }
  const tests = [...testsByIdentity.values()];
  const getPassedExecutions = await findPassedExecutions(services, endedRuns, tests);
  const executions = tests.flatMap((test) => [
    ...[...test.failuresByRun.values()].flat(),
    ...endedRuns.flatMap((run) => getPassedExecutions(run, test)),
  ]);
  const getJobs = await findJobs(
    services,
    endedRuns.filter(({ tryOf }) => tryOf),
    executions,
  );
  const open: Failure[] = [];
  const repairedFailures: Failure[] = [];
  for (const test of tests) {
    const testInRuns = endedRuns.map((run): TestInRun<Failure> => {
      const failedExecutions = (test.failuresByRun.get(run.runId) ?? []).map(
        (failure): ExecutionInRun<Failure> => ({ of: failure, failed: true, jobs: getJobs(run, failure) }),
      );
      const passedExecutions = getPassedExecutions(run, test).map(
        (execution): ExecutionInRun<Failure> => ({ failed: false, jobs: getJobs(run, execution) }),
      );
      return { build: getBuildId(run), executions: [...failedExecutions, ...passedExecutions] };
    });
    const mergedTest = mergeExecutions(testInRuns);
    open.push(...mergedTest.open.flatMap(({ of }) => of ?? []));
    repairedFailures.push(...mergedTest.repaired.flatMap(({ of }) => of ?? []));
  }
  return { open, repaired: repairedFailures };
}

/** Identifies a test of a group across runs, whatever source reported it. */
export const getTestIdentity = ({ groupId, spec, testKey }: Pick<Failure, 'groupId' | 'spec' | 'testKey'>): string =>
  JSON.stringify([groupId, spec, testKey]);

async function readFailures({ table }: WithTable, run: RunOfCommit): Promise<Failure[]> {
  const readMark = (mark: Mark) =>
    table.query(failures, getMarkedFailuresSpan(run, mark), { ...CONSISTENT, limit: LIMITS.testsOfRun });
  const pages = await Promise.all([readMark('f'), readMark('s')]);
  return pages.flatMap(({ rows }) => rows.map(({ item }) => item));
}
