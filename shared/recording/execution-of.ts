/** What a test inherits from its run, group and instance when it is first heard of. */
import { notFound, runCancelled } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Execution } from '../resources/execution.ts';
import { type Group, groups } from '../resources/group.ts';
import { runOfInstance } from '../resources/ids.ts';
import { type Instance, instances } from '../resources/instance.ts';
import { type Run, runs } from '../resources/run.ts';
import type { Services } from '../services.ts';
import { mergeTags } from '../tags.ts';
import type { CreateTestRecordBody } from './test-wire.ts';

export interface Parents {
  readonly run: Run;
  readonly group: Group | undefined;
  readonly instance: Instance;
}

/** Consistent: the claim that made the instance known was answered a moment ago. */
export async function parentsOf({ table }: Services, organizationId: string, instanceId: string): Promise<Parents> {
  const runId = runOfInstance(instanceId);
  if (runId === undefined) throw notFound('Instance');
  const key = { organizationId, runId, instanceId };
  const [run, instance] = await Promise.all([
    table.get(runs, key, { consistent: true }),
    table.get(instances, key, { consistent: true }),
  ]);
  if (!run || !instance) throw notFound('Instance');
  return { run, instance, group: await table.get(groups, { ...key, groupId: instance.groupId }) };
}

type TestIdentity = Pick<CreateTestRecordBody, 'testId' | 'title' | 'machineId'>;

export const executionOf = ({ run, group, instance }: Parents, test: TestIdentity): Execution => ({
  projectId: run.projectId,
  groupId: instance.groupId,
  spec: instance.spec,
  machineId: test.machineId ?? instance.claims.at(-1)?.machineId ?? '',
  testId: test.testId,
  title: test.title,
  tags: mergeTags(run.tags, group?.tags ?? []),
  environment: group?.environment ?? null,
  framework: run.framework.type,
  branch: run.commit.branch,
  sha: run.commit.sha,
  authorName: run.commit.authorName,
  authorEmail: run.commit.authorEmail,
  message: run.commit.message?.split('\n', 1)[0]?.slice(0, LIMITS.commitSubjectCharacters).toWellFormed() ?? null,
});

/** §3 What was in progress when the run was cancelled may end and is accepted; nothing new starts. */
export function refuseNewTest(
  { completionState, cancellation }: Run,
  { _d, attempts }: Pick<CreateTestRecordBody, '_d' | 'attempts'>,
): void {
  if (completionState !== 'CANCELED' || _d) return;
  const startedAt = attempts[0]?.startedAt ?? Number.POSITIVE_INFINITY;
  if (startedAt > (cancellation?.canceledAt ?? 0)) throw runCancelled();
}
