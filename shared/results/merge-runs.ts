/**
 * Merges runs of one commit: which of their failed tests still count, which runs are red, and which tests failed in one
 * try of a build and passed in a later one. `newest-executions.ts` has the rule for the executions of a test.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveInstanceId, deriveMachineKey } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { getJoinsSpan, joins } from '#shared/model/runs/join.ts';
import { getRunMembersSpan, isUnderWay } from '#shared/model/runs/run.ts';
import {
  getMissingSpecDigests,
  getSpecDigests,
  hashSpec,
  isFurther,
  type RunOfCommit,
} from '#shared/model/runs/run-of-commit.ts';
import { type Failure, failures, getMarkedFailuresSpan, type Mark } from '#shared/model/tests/failures.ts';
import { type Instance, instances } from '#shared/model/tests/instance.ts';
import { testRecords } from '#shared/model/tests/test-record.ts';
import { uploadTallies } from '#shared/model/tests/upload-tally.ts';
import { outcomesAt } from './compare-tests.ts';
import { RESULT_LIMITS } from './limits.ts';
import type { BuildState } from './merged-build.ts';
import { type ExecutionInRun, mergedExecutions, type TestInRun } from './newest-executions.ts';

interface MergedRuns {
  /** The runs, each with its state. */
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
export const buildOf = ({ tryOf, runId }: Pick<RunOfCommit, 'tryOf' | 'runId'>): string => tryOf?.build ?? runId;

/**
 * Puts runs in the order in which they count: builds by creation, and the tries of a build by their numbers, because a
 * report of an earlier try may arrive after that of a later one.
 */
export function inOrder<Of extends Pick<RunOfCommit, 'tryOf' | 'runId' | 'createdAt'>>(runs: readonly Of[]): Of[] {
  const byCreation = runs.toSorted((one, other) => one.createdAt - other.createdAt);
  const byNumber = new Map(
    [...Map.groupBy(byCreation, buildOf)].map(([build, all]) => [
      build,
      all.toSorted(
        ({ tryOf: one }, { tryOf: other }) =>
          (one?.attempt ?? 1) - (other?.attempt ?? 1) || (one?.again ?? 1) - (other?.again ?? 1),
      ),
    ]),
  );
  return byCreation.map((run) => byNumber.get(buildOf(run))?.shift() ?? run);
}

/**
 * Merges runs in the order of `inOrder`. `onlyStates`: the tests are not asked for, so a run whose spec files no later
 * run has executed is red without a further read.
 */
export async function mergeRuns(
  services: WithTable,
  inRows: readonly RunOfCommit[],
  { onlyStates }: { readonly onlyStates: boolean },
): Promise<MergedRuns> {
  const runs = await withAllJobs(services, inRows);
  const ended = runs.filter((run) => !isUnderWay(run));
  const red = ended.flatMap((run, index) => ((run.failed ?? 0) > 0 ? [{ run, later: ended.slice(index + 1) }] : []));
  const failing = new Set<string>();
  const listed: RunOfCommit[] = [];
  for (const { run, later } of red) {
    const isHuge = (run.failed ?? 0) > LIMITS.testsOfRun;
    const isLast = onlyStates && !later.some((other) => haveCommonSpecs(run, other));
    if (isHuge && !later.some((other) => isWholeRepetition(run, other))) failing.add(run.runId);
    if (!isHuge && isLast) failing.add(run.runId);
    if (!isHuge && !isLast) listed.push(run);
  }
  const { open, repaired } = await mergeTests(services, ended, listed);
  for (const { runId } of open) failing.add(runId);
  const states = runs.map((run, index) => ({
    run,
    state: stateOf(run, runs.slice(index + 1), failing.has(run.runId)),
  }));
  return { runs: states, open, repaired, isWhole: listed.length === red.length };
}

function stateOf(run: RunOfCommit, later: readonly RunOfCommit[], isFailing: boolean): BuildState {
  if (isUnderWay(run)) return 'running';
  if (!isFailing && !(isPartial(run) && !isRepeated(run, later))) return 'passed';
  return run.completionState === 'CANCELED' ? 'canceled' : 'failed';
}

/** Whether the run failed for another reason than its tests. */
const isPartial = ({ completionState, broken }: RunOfCommit): boolean =>
  completionState === 'CANCELED' || completionState === 'TIMEOUT' || broken === true;

/** Completes the names of jobs where they decide: if a run failed as a whole and its row has no room for all of them. */
async function withAllJobs({ table }: WithTable, runs: readonly RunOfCommit[]): Promise<readonly RunOfCommit[]> {
  const isFull = ({ tryOf, jobs = [] }: RunOfCommit) => tryOf !== undefined && jobs.length >= MODEL_LIMITS.jobsOfRun;
  if (!runs.some((run) => isPartial(run) && isFull(run))) return runs;
  return mapConcurrently(runs, async (run) => {
    if (!isFull(run)) return run;
    const rows = await table.queryAll(joins, getJoinsSpan(run), CONSISTENT);
    return { ...run, jobs: [...new Set([...(run.jobs ?? []), ...rows.flatMap(({ job }) => job ?? [])])] };
  });
}

/**
 * Whether complete runs after a run that failed for another reason than its tests have repeated it. Another build has to
 * have the same groups. A later try may repeat only some jobs, so it has to have the jobs that failed, if clients named
 * them.
 */
function isRepeated(run: RunOfCommit, later: readonly RunOfCommit[]): boolean {
  const complete = later.filter(({ completionState }) => completionState === 'COMPLETE');
  if (complete.some((other) => buildOf(other) !== buildOf(run) && other.groups === run.groups)) return true;
  const tries = complete.filter((other) => buildOf(other) === buildOf(run));
  if (!haveExecuted(tries, getMissingSpecDigests(run))) return false;
  const { jobs = [], failedJobs = [] } = run;
  const isKnown = run.completionState === 'COMPLETE' && failedJobs.length > 0 && !failedJobs.includes('');
  const toRepeat = isKnown ? failedJobs : jobs;
  if (toRepeat.length === 0) return tries.some((other) => other.groups === run.groups);
  return toRepeat.every((job) => tries.some((other) => other.jobs?.includes(job)));
}

/** Whether the tries have executed the spec files, as far as it is known which ones they have executed. */
function haveExecuted(tries: readonly RunOfCommit[], specs: ReadonlySet<string>): boolean {
  const executed = tries.map(getSpecDigests);
  return executed.includes(undefined) || [...specs].every((spec) => executed.some((one) => one?.has(spec)));
}

/**
 * Whether the later run passed and executed at least as many tests of the same groups. This decides for a run with so
 * many failed tests that looking each of them up would cost too much.
 */
const isWholeRepetition = (run: RunOfCommit, later: RunOfCommit): boolean =>
  later.completionState === 'COMPLETE' &&
  later.groups === run.groups &&
  later.status === 'PASSED' &&
  (later.executed ?? 0) >= (run.executed ?? 0);

function haveCommonSpecs(run: RunOfCommit, later: RunOfCommit): boolean {
  const [own, others] = [getSpecDigests(run), getSpecDigests(later)];
  return !own || !others || [...own].some((spec) => others.has(spec));
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

/** Merges the tests that failed in the `listed` runs. */
async function mergeTests(
  services: WithTable,
  ended: readonly RunOfCommit[],
  listed: readonly RunOfCommit[],
): Promise<MergedTests> {
  const tests = new Map<string, FailedTest>();
  for (const all of await mapConcurrently(listed, (run) => failedTestsOf(services, run)))
    for (const failure of all) {
      const place = placeOfTest(failure);
      const test = tests.get(place) ?? { first: failure, failed: new Map<string, Failure[]>() };
      tests.set(place, test);
      test.failed.set(failure.runId, [...(test.failed.get(failure.runId) ?? []), failure]);
    }
  const all = [...tests.values()];
  const passedIn = await passedExecutions(services, ended, all);
  const executions = all.flatMap((test) => [
    ...[...test.failed.values()].flat(),
    ...ended.flatMap((run) => passedIn(run, test)),
  ]);
  const jobOf = await jobsOfExecutions(services, ended, executions);
  const open: Failure[] = [];
  const repaired: Failure[] = [];
  for (const test of all) {
    const runs = ended.map((run): TestInRun<Failure> => {
      const failed = (test.failed.get(run.runId) ?? []).map((of) => ({ of, failed: true, jobs: jobOf(run, of) }));
      const passed = passedIn(run, test).map(
        (of): ExecutionInRun<Failure> => ({ failed: false, jobs: jobOf(run, of) }),
      );
      return { build: buildOf(run), executions: [...failed, ...passed] };
    });
    const merged = mergedExecutions(runs);
    open.push(...merged.open.flatMap(({ of }) => of ?? []));
    repaired.push(...merged.repaired.flatMap(({ of }) => of ?? []));
  }
  return { open, repaired };
}

/** Identifies a test of a group across runs, whatever source reported it. */
export const placeOfTest = ({ groupId, spec, testKey }: Pick<Failure, 'groupId' | 'spec' | 'testKey'>): string =>
  JSON.stringify([groupId, spec, testKey]);

async function failedTestsOf({ table }: WithTable, run: RunOfCommit): Promise<Failure[]> {
  const of = (mark: Mark) =>
    table.query(failures, getMarkedFailuresSpan(run, mark), { ...CONSISTENT, limit: LIMITS.testsOfRun });
  const pages = await Promise.all([of('f'), of('s')]);
  return pages.flatMap(({ rows }) => rows.map(({ item }) => item));
}

/** One execution of a test in a run. */
interface Execution extends RunKey {
  readonly instanceId: string;
  readonly testKey: string;
}

/**
 * The jobs that may have executed a test. Only a build with several tries needs them, and only a run of several jobs has
 * to be asked which of them it was.
 */
async function jobsOfExecutions(
  { table }: WithTable,
  ended: readonly RunOfCommit[],
  executions: readonly Execution[],
): Promise<(run: RunOfCommit, of: Execution) => readonly string[] | undefined> {
  const several = ended.filter(({ tryOf, jobs = [] }) => tryOf && jobs.length > 1);
  const jobs = new Map<string, string>();
  for (const rows of await mapConcurrently(several, (run) => table.queryAll(joins, getJoinsSpan(run))))
    for (const { runId, request, machineId, job } of rows) {
      if (!job) continue;
      jobs.set(`${runId} ${request}`, job);
      if (machineId) jobs.set(`${runId} ${deriveMachineKey(machineId)}`, job);
    }
  if (jobs.size === 0) return (run) => run.jobs;
  const runIds = new Set(several.map(({ runId }) => runId));
  const own = executions.filter(({ runId }) => runIds.has(runId));
  const keys = [...new Map(own.map((one) => [one.instanceId, one])).values()];
  const [records, places, tallies] = await Promise.all([
    table.getMany(testRecords, own),
    table.getMany(instances, keys),
    table.getMany(uploadTallies, keys),
  ]);
  const indexOf = new Map(keys.map(({ instanceId }, index) => [instanceId, index]));
  const jobOf = new Map<Execution, readonly string[]>();
  for (const [index, of] of own.entries()) {
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

/**
 * Finds the executions that passed, of each test in each run after its first failure. What exceeds the limit of lookups
 * counts as not executed, so that no failure is hidden; the newest runs come first.
 */
async function passedExecutions(
  services: WithTable,
  ended: readonly RunOfCommit[],
  tests: readonly FailedTest[],
): Promise<(run: RunOfCommit, test: FailedTest) => readonly Execution[]> {
  const positions = new Map(ended.map(({ runId }, index) => [runId, index]));
  let left: number = LIMITS.lookups;
  const asked = ended.toReversed().flatMap((run) => {
    const specs = getSpecDigests(run);
    const position = positions.get(run.runId) ?? 0;
    const own = tests
      .filter(({ first }) => (positions.get(first.runId) ?? 0) < position && (!specs || specs.has(hashSpec(first))))
      .slice(0, left);
    left -= own.length;
    return own.length > 0 ? [{ run, tests: own.map(({ first }) => first) }] : [];
  });
  const passed = new Map(
    await mapConcurrently(
      asked,
      async ({ run, tests: own }) => [run.runId, await passedIn(services, run, own)] as const,
    ),
  );
  return ({ runId }, { first }) => passed.get(runId)?.get(first) ?? [];
}

/** The executions of each test in a run that passed. */
async function passedIn(
  services: WithTable,
  run: RunOfCommit,
  tests: readonly Failure[],
): Promise<ReadonlyMap<Failure, readonly Execution[]>> {
  const { organizationId, runId } = run;
  const further = run.hasFurther ? await furtherInstances(services, run) : [];
  const places = tests.flatMap((test) => {
    const { groupId, spec, testKey } = test;
    const others = further.filter((instance) => instance.groupId === groupId && instance.spec === spec);
    const ids = [deriveInstanceId({ runId, groupId, spec }), ...others.map(({ instanceId }) => instanceId)];
    return ids.map((instanceId) => ({ organizationId, runId, instanceId, testKey, test }));
  });
  const outcomes = await outcomesAt(services, places, CONSISTENT);
  const passed = new Map<Failure, Execution[]>();
  for (const [index, place] of places.entries())
    if (outcomes[index]?.outcome === 'passed') passed.set(place.test, [...(passed.get(place.test) ?? []), place]);
  return passed;
}

async function furtherInstances({ table }: WithTable, run: RunOfCommit): Promise<Instance[]> {
  return (await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), CONSISTENT)).filter(isFurther);
}
