/** §4.3 Reads the context of a test. The id of an instance contains the id of its run, so `run_id` is not needed. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { deriveSignature, deriveTestKey, extractRunId } from '#shared/model/ids.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { groups } from '#shared/model/runs/group.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { findFailingSince } from '#shared/results/executions/failing-since.ts';
import type { FailingSince } from '#shared/results/executions/failing-since-wire.ts';
import { readLatestExecutions } from '#shared/results/executions/latest-executions.ts';
import { listTestIssues, toIssueMark } from '#shared/results/failures/known-issues.ts';
import { loadInstance } from '#shared/results/instances/load-instance.ts';
import type { Services } from '#shared/services.ts';
import type { TestContext } from './context-wire.ts';
import { describeTest } from './describe-test.ts';
import { CONTEXT_LIMITS } from './limits.ts';
import { type LoadedTest, loadEvidence } from './load-evidence.ts';
import { LoadingRoom } from './loading-room.ts';

interface TestQuery {
  readonly organizationId: string;
  readonly instanceId: string;
  readonly testId: string;
  readonly attempt: number | undefined;
}

/** `run` leaves out what comes from outside the run: since when the test has been failing, and its issues. */
export type Reach = 'run' | 'project';

export async function readTestContext(
  services: Services,
  query: TestQuery,
  reach: Reach = 'project',
): Promise<TestContext> {
  const { organizationId, instanceId, testId } = query;
  const runId = extractRunId(instanceId) ?? refuse(notFound('Instance'));
  const testKey = deriveTestKey(testId);
  const [run, storedTest] = await Promise.all([
    services.table.get(runs, { organizationId, runId }),
    loadEvidence(services, { organizationId, instanceId, testKey }),
  ]);
  if (!run) throw notFound('Instance');
  const loadedTest = storedTest ?? (await loadCleanTest(services, query));
  const { groupId } = loadedTest;
  const [group, beyondRun] = await Promise.all([
    services.table.get(groups, { organizationId, runId, groupId }),
    reach === 'project' ? readBeyondRun(services, run, loadedTest) : {},
  ]);
  const room = new LoadingRoom({ detail: 'default', characters: CONTEXT_LIMITS.maskedCharacters });
  const testInRun = { run, group, instanceId, ...loadedTest };
  const description = await describeTest(services, testInRun, { attempt: query.attempt, room });
  return { level: 'test', ...description, ...beyondRun };
}

async function readBeyondRun(
  services: Services,
  run: Run,
  loadedTest: LoadedTest,
): Promise<Pick<TestContext, 'failingSince' | 'knownIssues'>> {
  const { organizationId, projectId } = run;
  const { spec, test } = loadedTest;
  const signature = deriveSignature({ organizationId, projectId, spec, title: test.title });
  const [failingSince, issues] = await Promise.all([
    test.outcome === 'failed' ? readFailingSince(services, run, loadedTest, signature) : undefined,
    listTestIssues(services, { organizationId, projectId, signature }),
  ]);
  return { failingSince, knownIssues: issues.length > 0 ? issues.map(toIssueMark) : undefined };
}

async function readFailingSince(
  services: Services,
  { organizationId, projectId, runId }: Run,
  { groupId, finalAt: until }: LoadedTest,
  signature: string,
): Promise<FailingSince | undefined> {
  const [project, executions] = await Promise.all([
    services.table.get(projects, { organizationId, projectId }),
    readLatestExecutions(services, { organizationId, signature, until }),
  ]);
  return project && findFailingSince(executions, { branch: project.defaultBranchName, groupId, runId });
}

/** Tests of batch uploads without errors or evidence have no record, only the details of their instance. */
async function loadCleanTest(
  services: Services,
  { organizationId, instanceId, testId }: TestQuery,
): Promise<LoadedTest> {
  const { details, artifacts } =
    (await loadInstance(services, { organizationId, instanceId })) ?? refuse(notFound('Instance'));
  const test = details.tests.find((one) => one.testId === testId) ?? refuse(notFound('Test'));
  const { groupId, spec } = details.instance;
  const files = artifacts.filter((file) => file.testId === testId);
  return { test, projectId: details.projectId, groupId, spec, evidence: undefined, traces: [], files };
}
