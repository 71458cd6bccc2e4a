/** Starts or joins a run. All requests of a project with the same CI build id get the same run. */

import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { refuse } from '#shared/engine/errors.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { PRESENT, put } from '#shared/engine/table/writes.ts';
import { findProject } from '#shared/find-project.ts';
import { projectIsDeleted, runExpired } from '#shared/lifecycle/errors.ts';
import { reopenRun } from '#shared/lifecycle/reopen-run.ts';
import { deriveRunId } from '#shared/model/ids.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { isLaterTry } from '#shared/model/runs/build-tries.ts';
import { type CiJob, findBuildId, findCiJob } from '#shared/model/runs/ci-job.ts';
import { type Group, groups } from '#shared/model/runs/group.ts';
import { joins } from '#shared/model/runs/join.ts';
import { type Framework, isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import { presentCancellation } from '#shared/results/run-feed.ts';
import type { Services } from '#shared/services.ts';
import { addSuite, isSuiteMissing } from './add-suite.ts';
import type { ImportedBeginning } from './beginning.ts';
import { missingSuite } from './errors.ts';
import { toMachine } from './machine.ts';
import { addJob, collectTags, mergeIntoRun } from './merge-run.ts';
import { assignMachineId } from './name-machine.ts';
import type { CreateRunAnswer, CreateRunBody } from './run-wire.ts';
import { type FoundTry, findTry, linkTry, prepareRunOfTry } from './tries.ts';

/** Callers must first check that the run still accepts machines. */
async function addMachine(
  services: Services,
  { run, group }: FoundBuild,
  body: CreateRunBody,
  {
    requestKeys,
    job,
    machineId,
  }: { readonly requestKeys: readonly string[]; readonly job: string | undefined; readonly machineId: string },
): Promise<void> {
  await mergeIntoRun(services, run, collectTags(body));
  if (job !== undefined) await addJob(services, run, job);
  await describeGroup(services, run, body, group);
  const { organizationId, runId, expiry } = run;
  const { group: groupId } = body;
  const jobFields = job === undefined ? {} : { job, machineId };
  const row = { organizationId, runId, groupId, at: services.now(), expiresAt: expiry.results, ...jobFields };
  await services.table.writeMany(requestKeys.map((request) => put(joins, { ...row, request })));
}

/** A group that was created from the suite of another machine lacks its platform, because suites do not contain it. */
async function describeGroup(
  { table }: Services,
  { organizationId, runId }: Run,
  body: CreateRunBody,
  storedGroup: FoundBuild['group'],
): Promise<void> {
  const { groupId, facts } = toMachine(body);
  if (
    storedGroup &&
    isDeepStrictEqual(facts, { platform: storedGroup.platform, coverageEnabled: storedGroup.coverageEnabled })
  )
    return;
  await table.update(groups, { organizationId, runId, groupId }, { set: Object.entries(facts) }, PRESENT);
}

const REQUEST_CHARACTERS = 16;

export interface JoinRequest {
  readonly organizationId: string;
  readonly body: CreateRunBody;
  readonly framework: Framework;
  /** The first key stays the same across retries. A machine has joined if a request with any of these keys has. */
  readonly requestKeys: readonly [string, ...string[]];
  /** Set only for imports. */
  readonly imported?: ImportedBeginning;
  /** The CI job of the client, if it does not follow from the variables in the body. */
  readonly job?: CiJob | undefined;
  /** The number that people gave the try of the build. */
  readonly again?: number | undefined;
  /** Which try of its build an import belongs to. Its build id is then already that of the try. */
  readonly found?: FoundTry | undefined;
  /**
   * The suite of only this machine. A later try expects nothing else: who runs the failed jobs of a build again runs only
   * some of its shards, but the reporter of each shard sends the suite of all of them.
   */
  readonly ownSuite?: CreateRunBody['fullTestSuite'];
  /** Whether a run that this request reopens ends after it has been silent, because nobody will release it. */
  readonly lingers?: boolean;
  /** Whether people set the ids of such machines, so that several processes may have the same one. */
  readonly mayShareIds?: boolean;
  /** Returns whether the run already contains everything in the request. For clients that send no idempotency keys. */
  readonly isRepetition?: (run: Run) => Promise<boolean>;
}

export const deriveRequestKey = (idempotencyKey: string | undefined, body: unknown): string =>
  computeDigest(REQUEST_CHARACTERS, idempotencyKey ?? JSON.stringify(body));

export interface JoinResult {
  readonly run: Run;
  readonly answer: z.input<typeof CreateRunAnswer>;
}

export const joinRun = async (services: Services, request: JoinRequest): Promise<JoinResult['answer']> =>
  (await joinBuild(services, request)).answer;

/** Returns the run as it was read before the machine joined. */
export async function joinBuild(services: Services, request: JoinRequest): Promise<JoinResult> {
  const { organizationId, body } = request;
  const [requestKey] = request.requestKeys;
  const { projectId } = body;
  const project = await findProject(services, { organizationId, projectId }, { consistent: true });
  const variables = body.ci?.params ?? {};
  const sentId = body.ciBuildId || body.ci?.ciBuildId?.value || findBuildId(variables);
  const job = request.job ?? findCiJob(variables);
  const sentBuild = { organizationId, projectId, ciBuildId: sentId ?? '', job, again: request.again };
  const buildTry = request.found ?? (sentId ? await findTry(services, sentBuild) : undefined);
  const ciBuildId = buildTry?.ciBuildId ?? `auto:${requestKey}`;
  const isLater = buildTry?.tryOf !== undefined && isLaterTry(buildTry.tryOf);
  const tryBody = isLater && request.ownSuite ? { ...body, fullTestSuite: request.ownSuite } : body;
  const { run, machineId } = await ensureJoined(
    services,
    { ...request, body: tryBody },
    { ciBuildId, project, found: buildTry, job: job?.name },
  );
  const answer = {
    runId: run.runId,
    groupId: body.group,
    machineId,
    ciBuildId,
    runUrl: getRunUrl(services.origin, run),
    dashboardUrl: getRunUrl(services.origin, run),
    isNewRun: run.createdBy === requestKey,
    cancellation: presentCancellation(run),
    warnings: [],
  };
  return { run, answer };
}

interface Build {
  readonly ciBuildId: string;
  readonly project: ProjectRecord;
  readonly found: FoundTry | undefined;
  /** The name of the CI job. */
  readonly job: string | undefined;
}

/** Returns the run of the build after the machine has joined it, and the id of the machine in this run. */
async function ensureJoined(
  services: Services,
  request: JoinRequest,
  { found: buildTry, job, ...build }: Build,
): Promise<{ readonly run: Run; readonly machineId: string }> {
  const { organizationId, body, requestKeys, imported, mayShareIds = false } = request;
  const naming = { request: requestKeys[0], mayShareIds };
  const identifyMachine = async (run: Run) => ({ run, machineId: await assignMachineId(services, run, body, naming) });
  const runId = deriveRunId({ organizationId, projectId: body.projectId, ciBuildId: build.ciBuildId });
  const key = { organizationId, runId, groupId: body.group };
  const existingBuild = await findBuild(services, key, requestKeys);
  if (existingBuild && (await hasRecorded(existingBuild, request))) return identifyMachine(existingBuild.run);
  const { deletesAt } = build.project;
  // A run in progress may go on, so that a job does not fail halfway.
  if (existingBuild && !isUnderWay(existingBuild.run) && deletesAt !== undefined) throw projectIsDeleted(deletesAt);
  const openBuild = existingBuild && {
    ...existingBuild,
    run: await reopenIfEnded(services, existingBuild.run, request),
  };
  if (!openBuild && !body.fullTestSuite?.length) throw missingSuite();
  if (!openBuild?.group || isSuiteMissing(openBuild.run, body)) {
    const [createdBy] = requestKeys;
    const newBuild = { ...build, organizationId, runId, framework: request.framework, createdBy, imported, job };
    const target = openBuild ?? { beginning: await prepareRunOfTry(services, { ...newBuild, found: buildTry }, body) };
    await addSuite(services, target, body, createdBy);
    if ('beginning' in target) await linkTry(services, target.beginning, buildTry);
  }
  const foundBuild = openBuild ?? (await findBuild(services, key, requestKeys)) ?? refuse(runExpired());
  if (foundBuild.hasJoined) return identifyMachine(foundBuild.run);
  const openRun = await reopenIfEnded(services, foundBuild.run, request);
  const { run, machineId } = await identifyMachine(openRun);
  await addMachine(services, { ...foundBuild, run }, body, { requestKeys, job, machineId });
  return { run, machineId };
}

/** A machine that comes after the end of the run reopens it, and keeps it open until the caller releases it. */
const reopenIfEnded = async (services: Services, run: Run, { lingers }: Pick<JoinRequest, 'lingers'>): Promise<Run> =>
  isUnderWay(run) ? run : reopenRun(services, run, { lingers });

/** Whether the machine has joined, or the run has ended and already contains everything in the request. */
const hasRecorded = async ({ run, hasJoined }: FoundBuild, { isRepetition }: JoinRequest): Promise<boolean> =>
  hasJoined || (!isUnderWay(run) && (await isRepetition?.(run)) === true);

interface FoundBuild {
  readonly run: Run;
  /** The group of the machine, if this or another machine has started the group. */
  readonly group: Group | undefined;
  readonly hasJoined: boolean;
}

async function findBuild(
  { table }: Services,
  key: Pick<Group, 'organizationId' | 'runId' | 'groupId'>,
  requestKeys: readonly string[],
): Promise<FoundBuild | undefined> {
  const lookups = [makeLookup(runs, key), makeLookup(groups, key)] as const;
  const joinLookups = requestKeys.map((request) => makeLookup(joins, { ...key, request }));
  const rows = await table.getTogether([...lookups, ...joinLookups], { consistent: true });
  const run = rows.of(lookups[0]);
  const hasJoined = joinLookups.some((join) => rows.of(join) !== undefined);
  return run && { run, group: rows.of(lookups[1]), hasJoined };
}
