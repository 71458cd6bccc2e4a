/** Starting and joining a run: one run per CI build id, whoever comes first and however often (wire protocol of reporters). */
import type * as z from 'zod';
import { missingSuite, notFound } from '../errors.ts';
import { runUrlOf } from '../events/payload.ts';
import { type Beginning, createRun } from '../lifecycle/create-run.ts';
import { refuseEnded } from '../lifecycle/refuse-ended.ts';
import { startGroups } from '../lifecycle/start-groups.ts';
import { isUnderWay } from '../lifecycle/states.ts';
import { type Group, groups } from '../resources/group.ts';
import { machineIdOf, runIdOf } from '../resources/ids.ts';
import { type ProjectRecord, projects } from '../resources/project.ts';
import { type Framework, type Run, runs } from '../resources/run.ts';
import { presentCancellation } from '../results/run-feed.ts';
import type { Services } from '../services.ts';
import { digest } from '../table/keys.ts';
import { PRESENT } from '../table/writes.ts';
import { githubBuildOf } from './github-build.ts';
import { mergeIntoRun } from './merge-run.ts';
import { pullRequestOf } from './pull-request.ts';
import type { CreateRunAnswer, CreateRunBody } from './run-wire.ts';
import { storeSuite, suiteDigest } from './suite.ts';

const REQUEST_CHARACTERS = 16;

export interface JoinRequest {
  readonly organizationId: string;
  readonly body: CreateRunBody;
  readonly framework: Framework;
  /** The first is the same for every delivery of one logical request; any of them lets a known machine in again. */
  readonly requestKeys: readonly [string, ...string[]];
  /** For clients without idempotency keys: whether the run has all that the request brings. */
  readonly isRepetition?: (run: Run) => Promise<boolean>;
}

/** A reporter's idempotency key where it sends one, else the request's own content. */
export const requestKeyOf = (idempotencyKey: string | undefined, body: unknown): string =>
  digest(REQUEST_CHARACTERS, idempotencyKey ?? JSON.stringify(body));

export async function joinRun(services: Services, request: JoinRequest): Promise<z.input<typeof CreateRunAnswer>> {
  const { organizationId, body } = request;
  const [requestKey] = request.requestKeys;
  const project = await services.table.get(
    projects,
    { organizationId, projectId: body.projectId },
    { consistent: true },
  );
  if (!project) throw notFound('Project');
  const ciBuildId = body.ciBuildId || body.ci?.ciBuildId?.value || `auto:${requestKey}`;
  const { run, group } = await findOrCreate(services, request, { ciBuildId, project });
  const joined = request.requestKeys.some((key) => group?.joins[key] !== undefined);
  if (!joined && (isUnderWay(run) || !(await request.isRepetition?.(run)))) {
    refuseEnded(run);
    await join(services, request, run);
  }
  return {
    runId: run.runId,
    groupId: body.group,
    machineId: body.machineId ?? machineIdOf(requestKey),
    ciBuildId,
    runUrl: runUrlOf(services.origin, run.runId),
    dashboardUrl: runUrlOf(services.origin, run.runId),
    isNewRun: run.createdBy === requestKey,
    cancellation: presentCancellation(run),
    warnings: [],
  };
}

interface Build {
  readonly ciBuildId: string;
  readonly project: ProjectRecord;
}

async function findOrCreate(
  services: Services,
  request: JoinRequest,
  build: Build,
): Promise<{ run: Run; group: Group | undefined }> {
  const { table } = services;
  const { organizationId, body } = request;
  const runId = runIdOf({ organizationId, projectId: body.projectId, ciBuildId: build.ciBuildId });
  const existing = await table.get(runs, { organizationId, runId }, { consistent: true });
  if (existing) {
    return {
      run: existing,
      group: await table.get(groups, { organizationId, runId, groupId: body.group }, { consistent: true }),
    };
  }
  if (!body.fullTestSuite?.length) throw missingSuite();
  const beginning = beginningOf(request, build, { runId, createdAt: services.now() });
  return { run: await createRun(services, beginning), group: undefined };
}

function beginningOf(
  { organizationId, body, framework, requestKeys: [createdBy] }: JoinRequest,
  { ciBuildId, project }: Build,
  of: Pick<Run, 'runId' | 'createdAt'>,
): Beginning {
  const pullRequest = pullRequestOf(body.commit);
  const cancelAfterFailures = project.failFast ? 1 : body.config?.currents?.autoCancelAfterFailures;
  return {
    ...of,
    ...githubBuildOf(body.ci?.params),
    ciBuildId,
    organizationId,
    projectId: body.projectId,
    tags: body.tags,
    commit: body.commit,
    framework,
    ...(pullRequest ? { pullRequest } : {}),
    createdBy,
    inactivityTimeoutSeconds: project.inactivityTimeoutSeconds,
    ...(cancelAfterFailures ? { cancelAfterFailures } : {}),
  };
}

async function join(services: Services, { body, requestKeys }: JoinRequest, run: Run): Promise<void> {
  const suite = body.fullTestSuite ?? [];
  const environments = suite.flatMap(({ environment }) => environment ?? []);
  // Later calls of a batch upload bring no suite: the first one's stands.
  const isNew = suite.length > 0 && run.suites[suiteDigest(suite)] === undefined;
  if (isNew) await storeSuite(services, run, suite);
  await mergeIntoRun(services, run, { tags: body.tags, groupTags: suite.flatMap(({ tags }) => tags), environments });
  const group: Group = {
    organizationId: run.organizationId,
    runId: run.runId,
    groupId: body.group,
    platform: platformOf(body),
    tags: [],
    environment: null,
    coverageEnabled: false,
    joins: {},
  };
  await startGroups(services, run, [group]);
  const changes = {
    set: [
      ['platform', platformOf(body)],
      ['coverageEnabled', Array.isArray(body.coverage) && body.coverage.length > 0],
    ] as const,
    setIfAbsent: requestKeys.map((key) => [['joins', key], services.now()] as const),
  };
  await services.table.update(groups, group, changes, PRESENT);
}

const platformOf = ({ platform, browser }: CreateRunBody) => ({
  osName: platform.osName || null,
  osVersion: platform.osVersion || null,
  browserName: browser?.name || platform.browserName || null,
  browserVersion: browser?.version || platform.browserVersion || null,
});
