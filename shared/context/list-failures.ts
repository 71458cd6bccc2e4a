/** §4.3 Run and instance level: the tests that failed, page by page, at a cost that passed tests do not change. */
import { mapConcurrently } from '../concurrently.ts';
import { notFound } from '../errors.ts';
import { failures, type InstanceFailures } from '../resources/failures.ts';
import { groups } from '../resources/group.ts';
import { runOfInstance } from '../resources/ids.ts';
import { instances } from '../resources/instance.ts';
import { membersSpan, type Run, runs } from '../resources/run.ts';
import type { Services } from '../services.ts';
import { describeTest } from './describe-test.ts';
import { loadEvidence } from './load-evidence.ts';
import type { InstanceContext, ListedTest, RunContext } from './shape.ts';
import { environmentOf, gitOf } from './surroundings.ts';

interface Page {
  readonly limit: number;
  /** Zero-based. */
  readonly page: number;
}

interface Named {
  readonly instance: InstanceFailures;
  readonly testKey: string;
}

export async function readRunContext(
  services: Services,
  {
    organizationId,
    runId,
    includeFlaky,
    ...page
  }: Page & { organizationId: string; runId: string; includeFlaky: boolean },
): Promise<RunContext> {
  const { table } = services;
  const key = { organizationId, runId };
  const [run, all] = await Promise.all([table.get(runs, key), table.queryAll(failures, membersSpan(key, 'FAILURES'))]);
  if (!run) throw notFound('Run');
  const failing = all.filter(({ marks }) => Object.keys(marks).length > 0).sort(bySpec);
  const failed = failing.flatMap((instance) => marked(instance, 'f'));
  const flaky = failing.flatMap((instance) => marked(instance, 'y'));
  return {
    level: 'run',
    runId,
    projectId: run.projectId,
    ciBuildId: run.ciBuildId,
    status: run.status,
    completionState: run.completionState,
    specs: failing.map(presentSpec),
    totalFailedTests: failed.length,
    ...(includeFlaky ? { totalFlakyTests: flaky.length } : {}),
    ...(await listPage(services, run, includeFlaky ? [...failed, ...flaky] : failed, page)),
    git: gitOf(run),
  };
}

export async function readInstanceContext(
  services: Services,
  { organizationId, runId, instanceId, ...page }: Page & { organizationId: string; runId: string; instanceId: string },
): Promise<InstanceContext> {
  // Ids that do not belong together lead to nothing, like ids that do not exist.
  if (runOfInstance(instanceId) !== runId) throw notFound('Instance');
  const key = { organizationId, runId, instanceId };
  const [run, instance, marks] = await Promise.all([
    services.table.get(runs, key),
    services.table.get(instances, key),
    services.table.get(failures, key),
  ]);
  if (!run || !instance) throw notFound('Instance');
  const group = await services.table.get(groups, instance);
  return {
    level: 'instance',
    runId,
    instanceId,
    spec: instance.spec,
    ...(await listPage(services, run, marks ? marked(marks, 'f') : [], page)),
    environment: environmentOf(run, group, instance.groupId),
    git: gitOf(run),
  };
}

async function listPage(services: Services, run: Run, all: readonly Named[], { limit, page }: Page) {
  const named = all.slice(page * limit, (page + 1) * limit);
  const groupIds = [...new Set(named.map(({ instance }) => instance.groupId))];
  const found = await services.table.getMany(
    groups,
    groupIds.map((groupId) => ({ ...run, groupId })),
  );
  const groupOf = new Map(groupIds.map((groupId, index) => [groupId, found[index]]));
  const list = await mapConcurrently(named, async ({ instance, testKey }): Promise<ListedTest[]> => {
    const { organizationId, instanceId, groupId } = instance;
    const loaded = await loadEvidence(services, { organizationId, instanceId, testKey });
    if (!loaded) return [];
    const group = groupOf.get(groupId);
    const described = await describeTest(services, { run, group, instanceId, ...loaded });
    return [{ testId: loaded.test.testId, instanceId, ...described }];
  });
  const nextPage: number | false = (page + 1) * limit < all.length ? page + 1 : false;
  return { list: list.flat(), total: all.length, nextPage };
}

const marked = (instance: InstanceFailures, mark: 'f' | 's' | 'y'): Named[] =>
  Object.entries(instance.marks)
    .flatMap(([testKey, own]) => (own === mark ? [{ instance, testKey }] : []))
    .sort((one, other) => (one.testKey < other.testKey ? -1 : 1));

const presentSpec = (instance: InstanceFailures): RunContext['specs'][number] => ({
  spec: instance.spec,
  groupId: instance.groupId,
  instanceId: instance.instanceId,
  failed: marked(instance, 'f').length,
  skipped: marked(instance, 's').length,
  flaky: marked(instance, 'y').length,
});

function bySpec(one: InstanceFailures, other: InstanceFailures): number {
  const [left, right] = [one, other].map(({ spec, groupId, instanceId }) =>
    JSON.stringify([spec, groupId, instanceId]),
  );
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
