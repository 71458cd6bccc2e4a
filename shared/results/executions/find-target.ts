/** §7 Finds the run, spec file or test that a request names. Throws 404, or lists the candidates if several match. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import { deriveRunId, extractRunId } from '#shared/model/ids.ts';
import { getProjectsSpan, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import type { SharedObject } from '#shared/model/organizations/share.ts';
import { failures, getRunFailuresSpan } from '#shared/model/results/failures.ts';
import { type Instance, instances } from '#shared/model/results/instance.ts';
import { getRunMembersSpan, type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { ambiguousTarget } from '../errors.ts';
import { loadInstance } from '../instances/load-instance.ts';
import { RESULT_LIMITS } from '../limits.ts';
import type { Candidate, Target } from './target-wire.ts';

interface FoundTarget extends SharedObject {
  readonly run: Run;
  /** The title of the test, the spec file, or the CI build id of the run. */
  readonly label: string;
}

interface TargetRequest extends Target {
  readonly organizationId: string;
}

export async function findTarget(services: Services, request: TargetRequest): Promise<FoundTarget> {
  const run = await findTargetRun(services, request);
  const asksForTest = request.testId !== undefined || request.title !== undefined;
  if (request.attempt !== undefined && !asksForTest)
    throw invalidRequest('`attempt` selects an attempt of one test. Send it with `testId` or `title`', ['attempt']);
  const { runId } = run;
  if (asksForTest) {
    const { instance, test } = await findTest(services, run, request);
    const { instanceId } = instance;
    return { run, runId, instanceId, testId: test.testId, attempt: request.attempt, label: test.title.join(' › ') };
  }
  if (request.instanceId === undefined && request.spec === undefined) return { run, runId, label: run.ciBuildId };
  const { instanceId, spec } = pickOnly(await listNamedInstances(services, run, request), {
    what: 'spec files',
    missing: 'Instance',
    candidateOf: (instance) => toInstanceCandidate(run, instance),
  });
  return { run, runId, instanceId, label: spec };
}

async function findTargetRun(
  { table }: Services,
  { organizationId, projectId, runId, ciBuildId, instanceId }: TargetRequest,
): Promise<Run> {
  const namedRunId = runId ?? (instanceId === undefined ? undefined : extractRunId(instanceId));
  if (namedRunId !== undefined) {
    const error = notFound(runId === undefined ? 'Instance' : 'Run');
    const run = (await table.get(runs, { organizationId, runId: namedRunId }, { consistent: true })) ?? refuse(error);
    const isOther =
      (projectId !== undefined && projectId !== run.projectId) || (ciBuildId ?? run.ciBuildId) !== run.ciBuildId;
    return isOther ? refuse(error) : run;
  }
  if (ciBuildId === undefined)
    throw instanceId === undefined
      ? invalidRequest('The request names no run. Send `runId`, `ciBuildId` or `instanceId`', ['runId'])
      : notFound('Instance');
  const projects =
    projectId === undefined
      ? await table.queryAll(projectsOfOrganization, getProjectsSpan({ organizationId }))
      : [{ projectId }];
  const keys = projects.map((one) => ({
    organizationId,
    runId: deriveRunId({ organizationId, projectId: one.projectId, ciBuildId }),
  }));
  const matches = (await table.getMany(runs, keys)).flatMap((run) => run ?? []);
  return pickOnly(matches, { what: 'runs', missing: 'Run', candidateOf: toRunCandidate });
}

/** The spec files that the request names, or all spec files of the run if the request names none. */
async function listNamedInstances({ table }: Services, run: Run, { instanceId, spec }: Target): Promise<Instance[]> {
  if (instanceId === undefined) {
    const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'));
    return all.filter((instance) => (spec ?? instance.spec) === instance.spec);
  }
  const instance =
    extractRunId(instanceId) === run.runId ? await table.get(instances, { ...run, instanceId }) : undefined;
  return instance && (spec ?? instance.spec) === instance.spec ? [instance] : [];
}

interface TestMatch {
  readonly instance: Instance;
  readonly test: { readonly testId: string; readonly title: readonly string[] };
}

async function findTest(services: Services, run: Run, request: TargetRequest): Promise<TestMatch> {
  const isNamed = request.instanceId !== undefined || request.spec !== undefined;
  const searchedIds = isNamed ? undefined : await listInstancesWithFailures(services, run);
  const files = (await listNamedInstances(services, run, request)).filter(
    ({ instanceId }) => searchedIds?.has(instanceId) ?? true,
  );
  if (isNamed && files.length === 0) throw notFound('Instance');
  const matchLists = await mapConcurrently(files, async (instance): Promise<TestMatch[]> => {
    const { details } = (await loadInstance(services, instance)) ?? refuse(notFound('Instance'));
    return details.tests
      .filter(
        ({ testId, title }) =>
          (request.testId ?? testId) === testId && JSON.stringify(request.title ?? title) === JSON.stringify(title),
      )
      .map((test) => ({ instance, test }));
  });
  return pickOnly(matchLists.flat(), {
    what: 'tests',
    missing: 'Test',
    candidateOf: ({ instance, test: { testId, title } }) => ({
      ...toInstanceCandidate(run, instance),
      testId,
      title: [...title],
    }),
  });
}

/** The ids of the instances with failed, skipped or flaky tests. Throws 400 if there are too many to search. */
async function listInstancesWithFailures({ table }: Services, run: Run): Promise<ReadonlySet<string>> {
  const instanceIds = new Set(
    (await table.queryAll(failures, getRunFailuresSpan(run))).map(({ instanceId }) => instanceId),
  );
  if (instanceIds.size > RESULT_LIMITS.searchedSpecFiles)
    throw invalidRequest(
      'This run has too many spec files with failures to search all of them for the test. Send `spec` or `instanceId` as well',
      ['spec'],
    );
  return instanceIds;
}

function pickOnly<One>(
  matches: readonly One[],
  { what, missing, candidateOf }: { what: string; missing: string; candidateOf: (one: One) => Candidate },
): One {
  const [first, second] = matches;
  if (first === undefined) throw notFound(missing);
  if (second !== undefined) throw ambiguousTarget(what, matches.slice(0, RESULT_LIMITS.candidates).map(candidateOf));
  return first;
}

const toRunCandidate = ({ runId, ciBuildId }: Run): Candidate => ({ runId, ciBuildId });

const toInstanceCandidate = (run: Run, { instanceId, groupId, spec, claims }: Instance): Candidate => ({
  ...toRunCandidate(run),
  instanceId,
  groupId,
  spec,
  machineId: claims.at(-1)?.machineId ?? null,
});
