/** Looks up in which later runs a failed test passed, and which jobs executed it. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveInstanceId, deriveMachineKey } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { isOfBrokenFile } from '#shared/model/results/broken-file.ts';
import type { Failure } from '#shared/model/results/failures.ts';
import { type Instance, instances, isComplete } from '#shared/model/results/instance.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { uploadTallies } from '#shared/model/results/upload-tally.ts';
import { getJoinsSpan, joins } from '#shared/model/runs/join.ts';
import { getRunMembersSpan } from '#shared/model/runs/run.ts';
import { getSpecDigests, hashSpec, isFurther, type RunOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { readOutcomes } from '../comparisons/compare-tests.ts';
import { RESULT_LIMITS } from '../limits.ts';

const CONSISTENT = { consistent: true } as const;

/** A test that failed in at least one of the runs. */
export interface FailedTest {
  /** The first failed execution. */
  readonly first: Failure;
  readonly failuresByRun: Map<string, Failure[]>;
}

export interface Execution extends RunKey {
  readonly instanceId: string;
  readonly testKey: string;
}

type RunWithJobs = RunKey & Pick<RunOfCommit, 'jobs'>;

/**
 * Returns a function that looks up the jobs of an execution. Only a build with several tries needs the jobs, and only in
 * a run of several jobs it is not clear which of them executed a test.
 */
export async function findJobs(
  { table }: WithTable,
  runsOfTries: readonly RunWithJobs[],
  executions: readonly Execution[],
): Promise<(run: Pick<RunWithJobs, 'jobs'>, execution: Execution) => readonly string[] | undefined> {
  const runsOfSeveralJobs = runsOfTries.filter(({ jobs = [] }) => jobs.length > 1);
  const jobsBySource = new Map<string, string>();
  for (const rows of await mapConcurrently(runsOfSeveralJobs, (run) =>
    table.queryAll(joins, getJoinsSpan(run), CONSISTENT),
  ))
    for (const { runId, request, machineId, job } of rows) {
      if (!job) continue;
      jobsBySource.set(`${runId} ${request}`, job);
      if (machineId) jobsBySource.set(`${runId} ${deriveMachineKey(machineId)}`, job);
    }
  if (jobsBySource.size === 0) return (run) => run.jobs;
  const runIds = new Set(runsOfSeveralJobs.map(({ runId }) => runId));
  const unclearExecutions = executions.filter(({ runId }) => runIds.has(runId));
  const instanceKeys = [...new Map(unclearExecutions.map((one) => [one.instanceId, one])).values()];
  const [records, storedInstances, tallies] = await Promise.all([
    table.getMany(testRecords, unclearExecutions),
    table.getMany(instances, instanceKeys),
    table.getMany(uploadTallies, instanceKeys),
  ]);
  const indexByInstance = new Map(instanceKeys.map(({ instanceId }, index) => [instanceId, index]));
  const jobByExecution = new Map<Execution, string>();
  for (const [index, execution] of unclearExecutions.entries()) {
    const instanceIndex = indexByInstance.get(execution.instanceId) ?? 0;
    const record = records[index];
    const isStreamed = record !== undefined && record.uploaded !== true;
    const uploadSource =
      tallies[instanceIndex]?.results[execution.testKey]?.source ?? storedInstances[instanceIndex]?.claims[0]?.key;
    const source = isStreamed ? deriveMachineKey(record.machineId) : uploadSource;
    const job = source === undefined ? undefined : jobsBySource.get(`${execution.runId} ${source}`);
    if (job !== undefined) jobByExecution.set(execution, job);
  }
  return (run, execution) => {
    const job = jobByExecution.get(execution);
    return job === undefined ? run.jobs : [job];
  };
}

/**
 * Returns a function that looks up in which executions of a run a test passed. Looks at runs after the first failure,
 * newest first. Beyond the limit, all count as not executed, so no failure is hidden.
 */
export async function findPassedExecutions(
  services: WithTable,
  endedRuns: readonly RunOfCommit[],
  tests: readonly FailedTest[],
): Promise<(run: RunOfCommit, test: FailedTest) => readonly Execution[]> {
  const positions = new Map(endedRuns.map(({ runId }, index) => [runId, index]));
  let left: number = RESULT_LIMITS.commit.lookups;
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
  const furtherInstances = run.hasFurther ? await readFurtherInstances(services, run) : [];
  const places = tests.flatMap((test) => {
    const { groupId, spec, testKey } = test;
    const others = furtherInstances.filter((instance) => instance.groupId === groupId && instance.spec === spec);
    const ids = [deriveInstanceId({ runId, groupId, spec }), ...others.map(({ instanceId }) => instanceId)];
    return ids.map((instanceId) => ({ organizationId, runId, instanceId, testKey, test }));
  });
  const [outcomes, storedInstances] = await Promise.all([
    readOutcomes(services, places, CONSISTENT),
    services.table.getMany(
      instances,
      places.filter(({ test }) => isOfBrokenFile(test)),
      CONSISTENT,
    ),
  ]);
  const completeIds = new Set(
    storedInstances.flatMap((instance) => (instance && isComplete(instance) ? [instance.instanceId] : [])),
  );
  const passedByTest = new Map<Failure, Execution[]>();
  for (const [index, place] of places.entries())
    if (outcomes[index] ? outcomes[index].outcome === 'passed' : completeIds.has(place.instanceId))
      passedByTest.set(place.test, [...(passedByTest.get(place.test) ?? []), place]);
  return passedByTest;
}

async function readFurtherInstances({ table }: WithTable, run: RunOfCommit): Promise<Instance[]> {
  return (await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), CONSISTENT)).filter(isFurther);
}
