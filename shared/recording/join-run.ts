/** Starting and joining a run: one run per CI build id, whoever comes first and however often (wire protocol of reporters). */
import type * as z from 'zod';
import { missingSuite, notFound, refuse, runCancelled, runExpired } from '../errors.ts';
import { type Group, groups } from '../resources/group.ts';
import { machineIdOf, runIdOf } from '../resources/ids.ts';
import { projects } from '../resources/project.ts';
import { type Framework, type Run, runs, runsOfProject } from '../resources/run.ts';
import { presentCancellation } from '../results/run-feed.ts';
import type { Services } from '../services.ts';
import { digest } from '../table/keys.ts';
import { ABSENT, put } from '../table/writes.ts';
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
  const { run, group } = await findOrCreate(services, request, ciBuildId);
  const joined = request.requestKeys.some((key) => group?.joins[key] !== undefined);
  const ended = run.completionState !== 'IN_PROGRESS';
  if (!joined && !(ended && (await request.isRepetition?.(run)))) {
    refuseEnded(run);
    await join(services, request, run);
  }
  return {
    runId: run.runId,
    groupId: body.group,
    machineId: body.machineId ?? machineIdOf(requestKey),
    ciBuildId,
    runUrl: `${services.origin}/v1/runs/${run.runId}`,
    dashboardUrl: `${services.origin}/v1/runs/${run.runId}`,
    isNewRun: run.createdBy === requestKey,
    cancellation: presentCancellation(run),
    warnings: [],
  };
}

/** No result may be added to what has ended: a new CI build gets a new run. */
export function refuseEnded({ completionState }: Pick<Run, 'completionState'>): void {
  if (completionState === 'CANCELED') throw runCancelled();
  if (completionState !== 'IN_PROGRESS') throw runExpired();
}

async function findOrCreate(
  { table, now }: Services,
  request: JoinRequest,
  ciBuildId: string,
): Promise<{ run: Run; group: Group | undefined }> {
  const { organizationId, body } = request;
  const runId = runIdOf({ organizationId, projectId: body.projectId, ciBuildId });
  const existing = await table.get(runs, { organizationId, runId }, { consistent: true });
  if (existing) {
    return {
      run: existing,
      group: await table.get(groups, { organizationId, runId, groupId: body.group }, { consistent: true }),
    };
  }
  if (!body.fullTestSuite?.length) throw missingSuite();
  const run = newRun(request, { runId, ciBuildId, createdAt: now() });
  const created = await table.transact([put(runs, run, ABSENT), put(runsOfProject, run)]);
  // Another machine of the same build was faster: its run is this one's too.
  const winner = created ? run : await table.get(runs, run, { consistent: true });
  return { run: winner ?? refuse(runExpired()), group: undefined };
}

function newRun(
  { organizationId, body, framework, requestKeys: [createdBy] }: JoinRequest,
  of: Pick<Run, 'runId' | 'ciBuildId' | 'createdAt'>,
): Run {
  const pullRequest = pullRequestOf(body.commit);
  return {
    ...of,
    organizationId,
    projectId: body.projectId,
    status: 'RUNNING',
    completionState: 'IN_PROGRESS',
    tags: body.tags,
    groupTags: [],
    environments: [],
    commit: body.commit,
    framework,
    ...(pullRequest ? { pullRequest } : {}),
    createdBy,
    suites: {},
    instancesExpected: 0,
    instancesComplete: 0,
    version: 0,
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
  await services.table.put(groups, group, ABSENT);
  const changes = {
    set: [
      ['platform', platformOf(body)],
      ['coverageEnabled', Array.isArray(body.coverage) && body.coverage.length > 0],
    ] as const,
    setIfAbsent: requestKeys.map((key) => [['joins', key], services.now()] as const),
  };
  await services.table.update(groups, group, changes);
}

const platformOf = ({ platform, browser }: CreateRunBody) => ({
  osName: platform.osName || null,
  osVersion: platform.osVersion || null,
  browserName: browser?.name || platform.browserName || null,
  browserVersion: browser?.version || platform.browserVersion || null,
});
