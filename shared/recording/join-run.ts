/** Starts or joins a run (wire protocol of reporters). All requests with one CI build id get the same run. */
import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { missingSuite, notFound, refuse, runExpired } from '#shared/engine/errors.ts';
import { lookup } from '#shared/engine/table/found.ts';
import { digest } from '#shared/engine/table/keys.ts';
import { PRESENT, put } from '#shared/engine/table/writes.ts';
import { type Beginning, createRun } from '#shared/lifecycle/create-run.ts';
import { refuseEnded } from '#shared/lifecycle/refuse-ended.ts';
import { startGroups } from '#shared/lifecycle/start-groups.ts';
import { isUnderWay } from '#shared/lifecycle/states.ts';
import { expiryOf } from '#shared/model/expiry.ts';
import { type Group, groups } from '#shared/model/group.ts';
import { machineIdOf, runIdOf } from '#shared/model/ids.ts';
import { joins } from '#shared/model/join.ts';
import { type ProjectRecord, projects } from '#shared/model/project.ts';
import { retentionOf } from '#shared/model/retention.ts';
import { type Framework, type Run, runs } from '#shared/model/run.ts';
import { runUrlOf } from '#shared/model/run-url.ts';
import { presentCancellation } from '#shared/results/run-feed.ts';
import type { Services } from '#shared/services.ts';
import { githubBuildOf } from './github-build.ts';
import { mergeIntoRun, ofRun } from './merge-run.ts';
import { pullRequestOf } from './pull-request.ts';
import type { CreateRunAnswer, CreateRunBody } from './run-wire.ts';
import { storeOnce } from './store-once.ts';
import { storeSuite, suiteDigest } from './suite.ts';

const REQUEST_CHARACTERS = 16;

export interface JoinRequest {
  readonly organizationId: string;
  readonly body: CreateRunBody;
  readonly framework: Framework;
  /**
   * The first key identifies the logical request and is stable across retries. A machine that sent any of them has
   * already joined.
   */
  readonly requestKeys: readonly [string, ...string[]];
  /** Whether the run already contains the whole request, for clients without idempotency keys. */
  readonly isRepetition?: (run: Run) => Promise<boolean>;
}

/** Uses the content of the request if the reporter sends no idempotency key. */
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
  const found = await findOrCreate(services, request, { ciBuildId, project });
  const { run } = found;
  if (!found.hasJoined && (isUnderWay(run) || !(await request.isRepetition?.(run)))) {
    refuseEnded(run);
    await join(services, request, found);
  }
  return {
    runId: run.runId,
    groupId: body.group,
    machineId: body.machineId ?? machineIdOf(requestKey),
    ciBuildId,
    runUrl: runUrlOf(services.origin, run),
    dashboardUrl: runUrlOf(services.origin, run),
    isNewRun: run.createdBy === requestKey,
    cancellation: presentCancellation(run),
    warnings: [],
  };
}

interface Build {
  readonly ciBuildId: string;
  readonly project: ProjectRecord;
}

interface Found {
  readonly run: Run;
  readonly group: Group | undefined;
  readonly hasJoined: boolean;
}

async function findOrCreate(services: Services, request: JoinRequest, build: Build): Promise<Found> {
  const { organizationId, body, requestKeys } = request;
  const runId = runIdOf({ organizationId, projectId: body.projectId, ciBuildId: build.ciBuildId });
  const key = { organizationId, runId, groupId: body.group };
  const existing = await find(services, key, requestKeys);
  if (existing) return existing;
  if (!body.fullTestSuite?.length) throw missingSuite();
  const createdAt = services.now();
  const expiry = expiryOf(retentionOf(build.project.retention, services.defaultRetention), createdAt);
  const beginning = beginningOf(request, build, { runId, createdAt, expiry });
  await addSuite(services, request, key, () => createRun(services, beginning));
  return (await find(services, key, requestKeys)) ?? refuse(runExpired());
}

async function find(
  { table }: Services,
  key: Pick<Group, 'organizationId' | 'runId' | 'groupId'>,
  requestKeys: readonly string[],
): Promise<Found | undefined> {
  const wanted = [lookup(runs, key), lookup(groups, key)] as const;
  const wantedJoins = requestKeys.map((request) => lookup(joins, { ...key, request }));
  const found = await table.getTogether([...wanted, ...wantedJoins], { consistent: true });
  const run = found.of(wanted[0]);
  const hasJoined = wantedJoins.some((join) => found.of(join) !== undefined);
  return run && { run, group: found.of(wanted[1]), hasJoined };
}

/** Stores the suite of the request, unless another machine has stored the same suite. */
async function addSuite(
  services: Services,
  { body, requestKeys: [owner] }: JoinRequest,
  { organizationId, runId }: Pick<Run, 'organizationId' | 'runId'>,
  runOf: () => Promise<Run>,
): Promise<void> {
  const groups = body.fullTestSuite ?? [];
  const suite = suiteDigest(groups);
  await storeOnce(services, { organizationId, runId, suite, owner }, async () => {
    const run = await runOf();
    await storeSuite(services, run, groups);
    await mergeIntoRun(services, run, addedBy(body));
    await describeGroup(services, run, body, undefined);
  });
}

const addedBy = ({ tags, fullTestSuite }: CreateRunBody) => ({
  tags,
  groupTags: (fullTestSuite ?? []).flatMap((group) => group.tags),
  environments: (fullTestSuite ?? []).flatMap(({ environment }) => environment ?? []),
});

function beginningOf(
  { organizationId, body, framework, requestKeys: [createdBy] }: JoinRequest,
  { ciBuildId, project }: Build,
  of: Pick<Run, 'runId' | 'createdAt' | 'expiry'>,
): Beginning {
  const pullRequest = pullRequestOf(body.commit);
  const cancelAfterFailures = project.failFast ? 1 : body.config?.currents?.autoCancelAfterFailures;
  return {
    ...of,
    ...githubBuildOf(body.ci?.params),
    ciBuildId,
    organizationId,
    projectId: body.projectId,
    tags: ofRun('tags', body.tags),
    commit: body.commit,
    framework,
    ...(pullRequest ? { pullRequest } : {}),
    createdBy,
    inactivityTimeoutSeconds: project.inactivityTimeoutSeconds,
    ...(cancelAfterFailures ? { cancelAfterFailures } : {}),
  };
}

async function join(services: Services, request: JoinRequest, { run, group: known }: Found): Promise<void> {
  const { body, requestKeys } = request;
  const suite = body.fullTestSuite ?? [];
  // Only the first request of a batch upload contains the suite.
  const isNew = suite.length > 0 && run.suites[suiteDigest(suite)] === undefined;
  if (isNew) await addSuite(services, request, run, async () => run);
  await mergeIntoRun(services, run, addedBy(body));
  await describeGroup(services, run, body, known);
  const { organizationId, runId, expiry } = run;
  const row = { organizationId, runId, groupId: body.group, at: services.now(), expiresAt: expiry.results };
  await services.table.writeMany(requestKeys.map((request) => put(joins, { ...row, request })));
}

/** The suite names a group. The first machine of the group adds its platform. */
async function describeGroup(
  services: Services,
  run: Run,
  body: CreateRunBody,
  known: Group | undefined,
): Promise<void> {
  const { organizationId, runId, expiry } = run;
  const coverageEnabled = Array.isArray(body.coverage) && body.coverage.length > 0;
  const facts = { platform: platformOf(body), coverageEnabled };
  const group = { organizationId, runId, groupId: body.group, ...facts, expiresAt: expiry.results };
  if (!known) await startGroups(services, run, [{ ...group, tags: [], environment: null }]);
  if (known && isDeepStrictEqual(facts, { platform: known.platform, coverageEnabled: known.coverageEnabled })) return;
  await services.table.update(groups, group, { set: Object.entries(facts) }, PRESENT);
}

const platformOf = ({ platform, browser }: CreateRunBody) => ({
  osName: platform.osName || null,
  osVersion: platform.osVersion || null,
  browserName: browser?.name || platform.browserName || null,
  browserVersion: browser?.version || platform.browserVersion || null,
});
