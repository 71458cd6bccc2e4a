/** §4.3 Reads the failure context of a run, an instance or a test. */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound } from '#shared/engine/errors.ts';
import { extractRunId } from '#shared/model/ids.ts';
import {
  type Failure,
  failures,
  getInstanceFailuresSpan,
  getRunFailuresSpan,
  type Mark,
} from '#shared/model/results/failures.ts';
import { instances } from '#shared/model/results/instance.ts';
import { groups } from '#shared/model/runs/group.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { compareTexts } from '#shared/results/contains.ts';
import { readProblems } from '#shared/results/runs/read-problems.ts';
import type { Services } from '#shared/services.ts';
import { describeCauses } from './causes.ts';
import type { ContextData, InstanceContext, ListedTest, RunContext } from './context-wire.ts';
import { describeTest } from './describe-test.ts';
import { loadEvidence } from './load-evidence.ts';
import { LoadingRoom } from './loading-room.ts';
import { computeMaskingLimit, contextTooLarge, parseContextTarget } from './query.ts';
import type { ContextQuery } from './query-wire.ts';
import { type Reach, readTestContext } from './read-test.ts';
import { describeEnvironment, describeGit } from './surroundings.ts';

/** `reach` says whether the context of a test includes data from outside its run. */
export function readContext(
  services: Services,
  organizationId: string,
  query: ContextQuery,
  reach: Reach = 'project',
): Promise<ContextData> {
  const target = parseContextTarget(query);
  const { attempt, include_flaky: includeFlaky } = query;
  if (target.level === 'test') return readTestContext(services, { organizationId, attempt, ...target }, reach);
  const refusal = query.max_length === undefined ? contextTooLarge(query) : undefined;
  const page = {
    limit: query.limit,
    page: query.page,
    room: new LoadingRoom({ detail: query.detail, characters: computeMaskingLimit(query), refusal }),
  };
  if (target.level === 'instance') return readInstanceContext(services, { organizationId, ...page, ...target });
  return readRunContext(services, { organizationId, includeFlaky, ...page, ...target });
}

// Lists failed tests in pages, for a run also flaky ones if the query asks for them. Other tests are not read.

interface Page {
  readonly limit: number;
  /** Page number, counted from 0. */
  readonly page: number;
  readonly room: LoadingRoom;
}

interface RunQuery extends Page {
  readonly organizationId: string;
  readonly runId: string;
  readonly includeFlaky: boolean;
}

async function readRunContext(
  services: Services,
  { organizationId, runId, includeFlaky, ...page }: RunQuery,
): Promise<RunContext> {
  const { table } = services;
  const key = { organizationId, runId };
  const [run, all] = await Promise.all([table.get(runs, key), table.queryAll(failures, getRunFailuresSpan(key))]);
  if (!run) throw notFound('Run');
  const sortedFailures = all.toSorted((one, other) => compareTexts(deriveSortKey(one), deriveSortKey(other)));
  const failedTests = filterByMark(sortedFailures, 'f');
  const flakyTests = filterByMark(sortedFailures, 'y');
  const problems = await readProblems(services, run);
  const errorsOutsideTests = problems
    .filter(({ kind }) => kind === 'errorOutsideTests')
    .map(({ message, machines }) => ({ message, machines }));
  const listedTests = includeFlaky ? [...failedTests, ...flakyTests] : failedTests;
  return {
    level: 'run',
    runId,
    projectId: run.projectId,
    ciBuildId: run.ciBuildId,
    status: run.status,
    completionState: run.completionState,
    ...describeCauses(failedTests),
    specs: presentSpecs(sortedFailures),
    errorsOutsideTests: errorsOutsideTests.length > 0 ? errorsOutsideTests : undefined,
    problems: problems.length > 0 ? [...problems] : undefined,
    totalFailedTests: failedTests.length,
    totalFlakyTests: includeFlaky ? flakyTests.length : undefined,
    ...(await listPage(services, run, listedTests, page)),
    git: describeGit(run),
  };
}

async function readInstanceContext(
  services: Services,
  { organizationId, runId, instanceId, ...page }: Page & { organizationId: string; runId: string; instanceId: string },
): Promise<InstanceContext> {
  // An instance of another run gets the same 404 as an unknown instance.
  if (extractRunId(instanceId) !== runId) throw notFound('Instance');
  const key = { organizationId, runId, instanceId };
  const [run, instance, failedTests] = await Promise.all([
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
    ...describeCauses(failedTests),
    ...(await listPage(services, run, filterByMark(failedTests, 'f'), page)),
    environment: describeEnvironment(run, group, instance.groupId),
    git: describeGit(run),
  };
}

async function listPage(services: Services, run: Run, all: readonly Failure[], { limit, page, room }: Page) {
  const pageFailures = all.slice(page * limit, (page + 1) * limit);
  const groupIds = [...new Set(pageFailures.map(({ groupId }) => groupId))];
  const groupKeys = groupIds.map((groupId) => ({ ...run, groupId }));
  const storedGroups = await services.table.getMany(groups, groupKeys);
  const groupOf = new Map(groupIds.map((groupId, index) => [groupId, storedGroups[index]]));
  const list = await mapConcurrently(pageFailures, async (failure): Promise<ListedTest[]> => {
    const { organizationId, instanceId, groupId, testKey } = failure;
    room.refuseIfFull();
    const loadedTest = await loadEvidence(services, { organizationId, instanceId, testKey });
    if (!loadedTest) return [];
    const group = groupOf.get(groupId);
    const description = await describeTest(services, { run, group, instanceId, ...loadedTest }, { room });
    return [{ testId: loadedTest.test.testId, instanceId, ...description }];
  });
  const nextPage: number | false = (page + 1) * limit < all.length ? page + 1 : false;
  return { list: list.flat(), total: all.length, nextPage };
}

const filterByMark = (all: readonly Failure[], requestedMark: Mark): Failure[] =>
  all.filter(({ mark }) => mark === requestedMark);

/** One spec file per instance, in the order of the failures. */
function presentSpecs(sortedFailures: readonly Failure[]): RunContext['specs'] {
  const byInstance = Map.groupBy(sortedFailures, ({ instanceId }) => instanceId);
  return [...byInstance].flatMap(([instanceId, instanceFailures]) => {
    const [first] = instanceFailures;
    if (!first) return [];
    const countMarked = (mark: Mark) => filterByMark(instanceFailures, mark).length;
    const { spec, groupId } = first;
    return [
      { spec, groupId, instanceId, failed: countMarked('f'), skipped: countMarked('s'), flaky: countMarked('y') },
    ];
  });
}

const deriveSortKey = ({ spec, groupId, instanceId, testKey }: Failure): string =>
  JSON.stringify([spec, groupId, instanceId, testKey]);
