/**
 * Merges runs of one commit: which of their failed tests still count, which runs are red, and which tests failed in one
 * try of a build and passed in a later one. `newest-executions.ts` has the rule for the executions of a test.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveInstanceId, deriveMachineKey } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Failure, failures, getMarkedFailuresSpan, type Mark } from '#shared/model/results/failures.ts';
import { type Instance, instances } from '#shared/model/results/instance.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { uploadTallies } from '#shared/model/results/upload-tally.ts';
import { getJoinsSpan, joins } from '#shared/model/runs/join.ts';
import { getRunMembersSpan, isUnderWay } from '#shared/model/runs/run.ts';
import {
  getMissingSpecDigests,
  getSpecDigests,
  hashSpec,
  isFurther,
  type RunOfCommit,
} from '#shared/model/runs/run-of-commit.ts';
import { readOutcomes } from '../comparisons/compare-tests.ts';
import { RESULT_LIMITS } from '../limits.ts';
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
  const byNumber = new Map(
    [...Map.groupBy(byCreation, getBuildId)].map(([build, all]) => [
      build,
      all.toSorted(
        ({ tryOf: one }, { tryOf: other }) =>
          (one?.attempt ?? 1) - (other?.attempt ?? 1) || (one?.again ?? 1) - (other?.again ?? 1),
      ),
    ]),
  );
  return byCreation.map((run) => byNumber.get(getBuildId(run))?.shift() ?? run);
}

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

/** Completes the names of jobs where they decide: if a run failed as a whole and its row has no room for all of them. */
async function completeJobs({ table }: WithTable, runs: readonly RunOfCommit[]): Promise<readonly RunOfCommit[]> {
  const isFull = ({ tryOf, jobs = [] }: RunOfCommit) => tryOf !== undefined && jobs.length >= MODEL_LIMITS.jobsOfRun;
  if (!runs.some((run) => isPartial(run) && isFull(run))) return runs;
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

/** A test that failed in at least one of the runs. */
interface FailedTest {
  /** The first failed execution. */
  readonly first: Failure;
  /** The failed executions by run. */
  readonly failed: Map<string, Failure[]>;
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
  const tests = new Map<string, FailedTest>();
  for (const all of await mapConcurrently(listedRuns, (run) => readFailures(services, run)))
    for (const failure of all) {
      const place = getTestIdentity(failure);
      const test = tests.get(place) ?? { first: failure, failed: new Map<string, Failure[]>() };
      tests.set(place, test);
      test.failed.set(failure.runId, [...(test.failed.get(failure.runId) ?? []), failure]);
    }
  const all = [...tests.values()];
  const passedIn = await findPassedExecutions(services, endedRuns, all);
  const executions = all.flatMap((test) => [
    ...[...test.failed.values()].flat(),
    ...endedRuns.flatMap((run) => passedIn(run, test)),
  ]);
  const jobOf = await findJobs(services, endedRuns, executions);
  const open: Failure[] = [];
  const repaired: Failure[] = [];
  for (const test of all) {
    const runs = endedRuns.map((run): TestInRun<Failure> => {
      const failedExecutions = (test.failed.get(run.runId) ?? []).map((of) => ({
        of,
        failed: true,
        jobs: jobOf(run, of),
      }));
      const passedExecutions = passedIn(run, test).map(
        (of): ExecutionInRun<Failure> => ({ failed: false, jobs: jobOf(run, of) }),
      );
      return { build: getBuildId(run), executions: [...failedExecutions, ...passedExecutions] };
    });
    const mergedTest = mergeExecutions(runs);
    open.push(...mergedTest.open.flatMap(({ of }) => of ?? []));
    repaired.push(...mergedTest.repaired.flatMap(({ of }) => of ?? []));
  }
  return { open, repaired };
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

interface Execution extends RunKey {
  readonly instanceId: string;
  readonly testKey: string;
}

/**
 * Only a build with several tries needs the jobs, and only a run of several jobs has to be asked which of them it was.
 */
async function findJobs(
  { table }: WithTable,
  endedRuns: readonly RunOfCommit[],
  executions: readonly Execution[],
): Promise<(run: RunOfCommit, of: Execution) => readonly string[] | undefined> {
  const runsOfSeveralJobs = endedRuns.filter(({ tryOf, jobs = [] }) => tryOf && jobs.length > 1);
  const jobs = new Map<string, string>();
  for (const rows of await mapConcurrently(runsOfSeveralJobs, (run) => table.queryAll(joins, getJoinsSpan(run))))
    for (const { runId, request, machineId, job } of rows) {
      if (!job) continue;
      jobs.set(`${runId} ${request}`, job);
      if (machineId) jobs.set(`${runId} ${deriveMachineKey(machineId)}`, job);
    }
  if (jobs.size === 0) return (run) => run.jobs;
  const runIds = new Set(runsOfSeveralJobs.map(({ runId }) => runId));
  const unclearExecutions = executions.filter(({ runId }) => runIds.has(runId));
  const keys = [...new Map(unclearExecutions.map((one) => [one.instanceId, one])).values()];
  const [records, places, tallies] = await Promise.all([
    table.getMany(testRecords, unclearExecutions),
    table.getMany(instances, keys),
    table.getMany(uploadTallies, keys),
  ]);
  const indexOf = new Map(keys.map(({ instanceId }, index) => [instanceId, index]));
  const jobOf = new Map<Execution, readonly string[]>();
  for (const [index, of] of unclearExecutions.entries()) {
    const at = indexOf.get(of.instanceId) ?? 0;
    const record = records[index];
    const isStreamed = record !== undefined && record.uploaded !== true;
    const source = tallies[at]?.results[of.testKey]?.source ?? places[at]?.claims[0]?.key;
    const key = isStreamed ? deriveMachineKey(record.machineId) : source;
    const job = key === undefined ? undefined : jobs.get(`${of.runId} ${key}`);
    if (job !== undefined) jobOf.set(of, [job]);
  }
  return (run, of) => jobOf.get(of) ?? run.jobs;
}

/** Runs after the first failure, newest first. Beyond the limit, all count as not executed, so no failure is hidden. */
async function findPassedExecutions(
  services: WithTable,
  endedRuns: readonly RunOfCommit[],
  tests: readonly FailedTest[],
): Promise<(run: RunOfCommit, test: FailedTest) => readonly Execution[]> {
  const positions = new Map(endedRuns.map(({ runId }, index) => [runId, index]));
  let left: number = LIMITS.lookups;
  const lookups = endedRuns.toReversed().flatMap((run) => {
    const specs = getSpecDigests(run);
    const position = positions.get(run.runId) ?? 0;
    const runTests = tests
      .filter(({ first }) => (positions.get(first.runId) ?? 0) < position && (!specs || specs.has(hashSpec(first))))
      .slice(0, left);
    left -= runTests.length;
    return runTests.length > 0 ? [{ run, tests: runTests.map(({ first }) => first) }] : [];
  });
  const passedByRun = new Map(
    await mapConcurrently(
      lookups,
      async ({ run, tests: runTests }) => [run.runId, await readPassedExecutions(services, run, runTests)] as const,
    ),
  );
  return ({ runId }, { first }) => passedByRun.get(runId)?.get(first) ?? [];
}

async function readPassedExecutions(
  services: WithTable,
  run: RunOfCommit,
  tests: readonly Failure[],
): Promise<ReadonlyMap<Failure, readonly Execution[]>> {
  const { organizationId, runId } = run;
  const further = run.hasFurther ? await readFurtherInstances(services, run) : [];
  const places = tests.flatMap((test) => {
    const { groupId, spec, testKey } = test;
    const others = further.filter((instance) => instance.groupId === groupId && instance.spec === spec);
    const ids = [deriveInstanceId({ runId, groupId, spec }), ...others.map(({ instanceId }) => instanceId)];
    return ids.map((instanceId) => ({ organizationId, runId, instanceId, testKey, test }));
  });
  const outcomes = await readOutcomes(services, places, CONSISTENT);
  const passedByTest = new Map<Failure, Execution[]>();
  for (const [index, place] of places.entries())
    if (outcomes[index]?.outcome === 'passed')
      passedByTest.set(place.test, [...(passedByTest.get(place.test) ?? []), place]);
  return passedByTest;
}

async function readFurtherInstances({ table }: WithTable, run: RunOfCommit): Promise<Instance[]> {
  return (await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), CONSISTENT)).filter(isFurther);
}
