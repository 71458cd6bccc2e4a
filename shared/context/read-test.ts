/** §4.3 Test level. The run follows from the instance's id, so a run id that was sent is not looked at. */
import { notFound, refuse } from '../errors.ts';
import { groups } from '../resources/group.ts';
import { runOfInstance, testKeyOf } from '../resources/ids.ts';
import { runs } from '../resources/run.ts';
import { loadInstance } from '../results/load-instance.ts';
import type { Services } from '../services.ts';
import { describeTest } from './describe-test.ts';
import { type LoadedTest, loadEvidence } from './load-evidence.ts';
import type { TestContext } from './shape.ts';

interface Asked {
  readonly organizationId: string;
  readonly instanceId: string;
  readonly testId: string;
  readonly attempt: number | undefined;
}

export async function readTestContext(services: Services, asked: Asked): Promise<TestContext> {
  const { organizationId, instanceId, testId } = asked;
  const runId = runOfInstance(instanceId) ?? refuse(notFound('Instance'));
  const testKey = testKeyOf(testId);
  const [run, kept] = await Promise.all([
    services.table.get(runs, { organizationId, runId }),
    loadEvidence(services, { organizationId, instanceId, testKey }),
  ]);
  if (!run) throw notFound('Instance');
  const loaded = kept ?? (await passedClean(services, asked));
  const { groupId } = loaded;
  const group = await services.table.get(groups, { organizationId, runId, groupId });
  return { level: 'test', ...(await describeTest(services, { run, group, instanceId, ...loaded }, asked.attempt)) };
}

/** Of a batch upload, tests that passed have no record of their own. */
async function passedClean(services: Services, { organizationId, instanceId, testId }: Asked): Promise<LoadedTest> {
  const { details, artifacts } =
    (await loadInstance(services, { organizationId, instanceId })) ?? refuse(notFound('Instance'));
  const test = details.tests.find((known) => known.testId === testId) ?? refuse(notFound('Test'));
  const { groupId, spec } = details.instance;
  const files = artifacts.filter((file) => file.testId === testId);
  return { test, projectId: details.projectId, groupId, spec, evidence: [], traces: [], files };
}
