/** §4.3 Reads the context of a test. The id of an instance contains the id of its run, so `run_id` is not needed. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { deriveSignature, deriveTestKey, extractRunId } from '#shared/model/ids.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { groups } from '#shared/model/runs/group.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { failingSince } from '#shared/results/failing-since.ts';
import type { FailingSince } from '#shared/results/failing-since-wire.ts';
import { issuesOf, markOf } from '#shared/results/known-issues.ts';
import { latestExecutions } from '#shared/results/latest-executions.ts';
import { loadInstance } from '#shared/results/load-instance.ts';
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

/**
 * What the context of a test covers. `run` leaves out what comes from outside the run: since when the test has been
 * failing, and its issues.
 */
export type Reach = 'run' | 'project';

export async function readTestContext(
  services: Services,
  query: TestQuery,
  reach: Reach = 'project',
): Promise<TestContext> {
  const { organizationId, instanceId, testId } = query;
  const runId = extractRunId(instanceId) ?? refuse(notFound('Instance'));
  const testKey = deriveTestKey(testId);
  const [run, kept] = await Promise.all([
    services.table.get(runs, { organizationId, runId }),
    loadEvidence(services, { organizationId, instanceId, testKey }),
  ]);
  if (!run) throw notFound('Instance');
  const loaded = kept ?? (await passedClean(services, query));
  const { groupId } = loaded;
  const [group, beyond] = await Promise.all([
    services.table.get(groups, { organizationId, runId, groupId }),
    reach === 'project' ? beyondRun(services, run, loaded) : {},
  ]);
  const described = await describeTest(
    services,
    { run, group, instanceId, ...loaded },
    {
      attempt: query.attempt,
      room: new LoadingRoom({ detail: 'default', characters: CONTEXT_LIMITS.maskedCharacters }),
    },
  );
  return {
    level: 'test',
    ...described,
    ...beyond,
  };
}

/** What other runs and the issues of the project say about the test. */
async function beyondRun(
  services: Services,
  run: Run,
  loaded: LoadedTest,
): Promise<Pick<TestContext, 'failingSince' | 'knownIssues'>> {
  const { organizationId, projectId } = run;
  const { spec, test } = loaded;
  const signature = deriveSignature({ organizationId, projectId, spec, title: test.title });
  const [since, issues] = await Promise.all([
    test.outcome === 'failed' ? sinceOf(services, run, loaded, signature) : undefined,
    issuesOf(services, { organizationId, projectId, signature }),
  ]);
  return {
    ...(since ? { failingSince: since } : {}),
    ...(issues.length > 0 ? { knownIssues: issues.map(markOf) } : {}),
  };
}

async function sinceOf(
  services: Services,
  { organizationId, projectId, runId }: Run,
  { groupId, finalAt: until }: LoadedTest,
  signature: string,
): Promise<FailingSince | undefined> {
  const [project, latest] = await Promise.all([
    services.table.get(projects, { organizationId, projectId }),
    latestExecutions(services, { organizationId, signature, until }),
  ]);
  return project && failingSince(latest, { branch: project.defaultBranchName, groupId, runId });
}

/**
 * Loads a test that has no record of its own from the details of its instance. Tests of batch uploads that left no
 * errors or evidence have no record.
 */
async function passedClean(services: Services, { organizationId, instanceId, testId }: TestQuery): Promise<LoadedTest> {
  const { details, artifacts } =
    (await loadInstance(services, { organizationId, instanceId })) ?? refuse(notFound('Instance'));
  const test = details.tests.find((known) => known.testId === testId) ?? refuse(notFound('Test'));
  const { groupId, spec } = details.instance;
  const files = artifacts.filter((file) => file.testId === testId);
  return { test, projectId: details.projectId, groupId, spec, evidence: undefined, traces: [], files };
}
