/** §4.3 Reads the failure context of a run, an instance or a test. */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound } from '#shared/engine/errors.ts';
import { extractRunId } from '#shared/model/ids.ts';
import { groups } from '#shared/model/runs/group.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import {
  type Failure,
  failures,
  getInstanceFailuresSpan,
  getRunFailuresSpan,
  type Mark,
} from '#shared/model/tests/failures.ts';
import { instances } from '#shared/model/tests/instance.ts';
import { byText } from '#shared/results/contains.ts';
import { readProblems } from '#shared/results/read-problems.ts';
import type { Services } from '#shared/services.ts';
import type { ContextData, InstanceContext, ListedTest, RunContext } from './context-wire.ts';
import { describeTest } from './describe-test.ts';
import { loadEvidence } from './load-evidence.ts';
import { LoadingRoom } from './loading-room.ts';
import { contextTooLarge, maskedCharacters, targetOf } from './query.ts';
import type { ContextQuery } from './query-wire.ts';
import { type Reach, readTestContext } from './read-test.ts';
import { environmentOf, gitOf } from './surroundings.ts';

/** `reach` says whether the context of a test includes data from outside its run. */
export function readContext(
  services: Services,
  organizationId: string,
  query: ContextQuery,
  reach: Reach = 'project',
): Promise<ContextData> {
  const target = targetOf(query);
  const { attempt, include_flaky: includeFlaky } = query;
  if (target.level === 'test') return readTestContext(services, { organizationId, attempt, ...target }, reach);
  const refusal = query.max_length === undefined ? contextTooLarge(query) : undefined;
  const page = {
    limit: query.limit,
    page: query.page,
    room: new LoadingRoom({ detail: query.detail, characters: maskedCharacters(query), refusal }),
  };
  if (target.level === 'instance') return readInstanceContext(services, { organizationId, ...page, ...target });
  return readRunContext(services, { organizationId, includeFlaky, ...page, ...target });
}

// §4.3 Reads contexts of runs and instances, which list failed tests in pages. The context of a run also lists flaky
// tests if the query asks for them. Other tests are not read.

interface Page {
  readonly limit: number;
  /** Page number, counted from 0. */
  readonly page: number;
  readonly room: LoadingRoom;
}

async function readRunContext(
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
  const [run, all] = await Promise.all([table.get(runs, key), table.queryAll(failures, getRunFailuresSpan(key))]);
  if (!run) throw notFound('Run');
  const failing = all.toSorted((one, other) => byText(orderOf(one), orderOf(other)));
  const failed = marked(failing, 'f');
  const flaky = marked(failing, 'y');
  const problems = await readProblems(services, run);
  const outside = problems.filter(({ kind }) => kind === 'errorOutsideTests');
  return {
    level: 'run',
    runId,
    projectId: run.projectId,
    ciBuildId: run.ciBuildId,
    status: run.status,
    completionState: run.completionState,
    specs: presentSpecs(failing),
    ...(outside.length > 0
      ? { errorsOutsideTests: outside.map(({ message, machines }) => ({ message, machines })) }
      : {}),
    ...(problems.length > 0 ? { problems: [...problems] } : {}),
    totalFailedTests: failed.length,
    ...(includeFlaky ? { totalFlakyTests: flaky.length } : {}),
    ...(await listPage(services, run, includeFlaky ? [...failed, ...flaky] : failed, page)),
    git: gitOf(run),
  };
}

async function readInstanceContext(
  services: Services,
  { organizationId, runId, instanceId, ...page }: Page & { organizationId: string; runId: string; instanceId: string },
): Promise<InstanceContext> {
  // An instance of another run gets the same 404 as an unknown instance.
  if (extractRunId(instanceId) !== runId) throw notFound('Instance');
  const key = { organizationId, runId, instanceId };
  const [run, instance, failed] = await Promise.all([
    services.table.get(runs, key),
    services.table.get(instances, key),
    services.table.queryAll(failures, getInstanceFailuresSpan(key, 'f')),
  ]);
  if (!run || !instance) throw notFound('Instance');
  const group = await services.table.get(groups, instance);
  return {
    level: 'instance',
    runId,
    instanceId,
    spec: instance.spec,
    ...(await listPage(services, run, marked(failed, 'f'), page)),
    environment: environmentOf(run, group, instance.groupId),
    git: gitOf(run),
  };
}

async function listPage(services: Services, run: Run, all: readonly Failure[], { limit, page, room }: Page) {
  const named = all.slice(page * limit, (page + 1) * limit);
  const groupIds = [...new Set(named.map(({ groupId }) => groupId))];
  const found = await services.table.getMany(
    groups,
    groupIds.map((groupId) => ({ ...run, groupId })),
  );
  const groupOf = new Map(groupIds.map((groupId, index) => [groupId, found[index]]));
  const list = await mapConcurrently(named, async (failure): Promise<ListedTest[]> => {
    const { organizationId, instanceId, groupId, testKey } = failure;
    room.refuseIfFull();
    const loaded = await loadEvidence(services, { organizationId, instanceId, testKey });
    if (!loaded) return [];
    const group = groupOf.get(groupId);
    const described = await describeTest(services, { run, group, instanceId, ...loaded }, { room });
    return [{ testId: loaded.test.testId, instanceId, ...described }];
  });
  const nextPage: number | false = (page + 1) * limit < all.length ? page + 1 : false;
  return { list: list.flat(), total: all.length, nextPage };
}

const marked = (all: readonly Failure[], wanted: Mark): Failure[] => all.filter(({ mark }) => mark === wanted);

/**
 * Lists the spec files with failed, skipped or flaky tests, in the order of `failing`. There is one entry per instance.
 */
function presentSpecs(failing: readonly Failure[]): RunContext['specs'][number][] {
  const byInstance = Map.groupBy(failing, ({ instanceId }) => instanceId);
  return [...byInstance].flatMap(([instanceId, own]) => {
    const [first] = own;
    if (!first) return [];
    const counted = (mark: Mark) => marked(own, mark).length;
    const { spec, groupId } = first;
    return [{ spec, groupId, instanceId, failed: counted('f'), skipped: counted('s'), flaky: counted('y') }];
  });
}

const orderOf = ({ spec, groupId, instanceId, testKey }: Failure): string =>
  JSON.stringify([spec, groupId, instanceId, testKey]);
