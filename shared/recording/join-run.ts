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
import { addSuite, lacksSuite } from './add-suite.ts';
import type { ImportedBeginning } from './beginning.ts';
import { missingSuite } from './errors.ts';
import { machineOf } from './machine.ts';
import { addedBy, addJob, mergeIntoRun } from './merge-run.ts';
import { nameMachine } from './name-machine.ts';
import type { CreateRunAnswer, CreateRunBody } from './run-wire.ts';
import { beginningOfTry, type FoundTry, findTry, linkTry } from './tries.ts';

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
  await mergeIntoRun(services, run, addedBy(body));
  if (job !== undefined) await addJob(services, run, job);
  await describeGroup(services, run, body, group);
  const { organizationId, runId, expiry } = run;
  const { group: groupId } = body;
  const ofJob = job === undefined ? {} : { job, machineId };
  const row = { organizationId, runId, groupId, at: services.now(), expiresAt: expiry.results, ...ofJob };
  await services.table.writeMany(requestKeys.map((request) => put(joins, { ...row, request })));
}

/**
 * Adds the platform of the machine to its group. If the group was created from the suite of another machine, its
 * platform is still unknown, because suites do not contain it.
 */
async function describeGroup(
  { table }: Services,
  { organizationId, runId }: Run,
  body: CreateRunBody,
  known: FoundBuild['group'],
): Promise<void> {
  const { groupId, facts } = machineOf(body);
  if (known && isDeepStrictEqual(facts, { platform: known.platform, coverageEnabled: known.coverageEnabled })) return;
  await table.update(groups, { organizationId, runId, groupId }, { set: Object.entries(facts) }, PRESENT);
}

const REQUEST_CHARACTERS = 16;

export interface JoinRequest {
  readonly organizationId: string;
  readonly body: CreateRunBody;
  readonly framework: Framework;
  /**
   * Keys that identify the request. The first key stays the same across retries. If a request with any of these keys
   * has joined the run before, the machine has already joined.
   */
  readonly requestKeys: readonly [string, ...string[]];
  /**
   * Additional data of a run that an import creates. Set only for imports.
   */
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

/**
 * Derives the key of a request from its idempotency key, or from its content if the reporter sends no idempotency key.
 */
export const requestKeyOf = (idempotencyKey: string | undefined, body: unknown): string =>
  computeDigest(REQUEST_CHARACTERS, idempotencyKey ?? JSON.stringify(body));

export interface Joined {
  readonly run: Run;
  readonly answer: z.input<typeof CreateRunAnswer>;
}

export const joinRun = async (services: Services, request: JoinRequest): Promise<Joined['answer']> =>
  (await join(services, request)).answer;

/** Joins the run of the build. Returns it as it was read before the machine joined. */
export async function join(services: Services, request: JoinRequest): Promise<Joined> {
  const { organizationId, body } = request;
  const [requestKey] = request.requestKeys;
  const { projectId } = body;
  const project = await findProject(services, { organizationId, projectId }, { consistent: true });
  const variables = body.ci?.params ?? {};
  const sentId = body.ciBuildId || body.ci?.ciBuildId?.value || findBuildId(variables);
  const job = request.job ?? findCiJob(variables);
  const sent = { organizationId, projectId, ciBuildId: sentId ?? '', job, again: request.again };
  const found = request.found ?? (sentId ? await findTry(services, sent) : undefined);
  const ciBuildId = found?.ciBuildId ?? `auto:${requestKey}`;
  const isLater = found?.tryOf !== undefined && isLaterTry(found.tryOf);
  const ofTry = isLater && request.ownSuite ? { ...body, fullTestSuite: request.ownSuite } : body;
  const { run, machineId } = await runOf(
    services,
    { ...request, body: ofTry },
    { ciBuildId, project, found, job: job?.name },
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
async function runOf(
  services: Services,
  request: JoinRequest,
  { found: ofTry, job, ...build }: Build,
): Promise<{ readonly run: Run; readonly machineId: string }> {
  const { organizationId, body, requestKeys, imported, mayShareIds = false } = request;
  const naming = { request: requestKeys[0], mayShareIds };
  const named = async (run: Run) => ({ run, machineId: await nameMachine(services, run, body, naming) });
  const runId = deriveRunId({ organizationId, projectId: body.projectId, ciBuildId: build.ciBuildId });
  const key = { organizationId, runId, groupId: body.group };
  const joined = await findBuild(services, key, requestKeys);
  if (joined && (await hasRecorded(joined, request))) return named(joined.run);
  const { deletesAt } = build.project;
  // A run in progress may go on, so that a job does not fail halfway.
  if (joined && !isUnderWay(joined.run) && deletesAt !== undefined) throw projectIsDeleted(deletesAt);
  const known = joined && { ...joined, run: await stillOpen(services, joined.run, request) };
  if (!known && !body.fullTestSuite?.length) throw missingSuite();
  if (!known?.group || lacksSuite(known.run, body)) {
    const [createdBy] = requestKeys;
    const begun = { ...build, organizationId, runId, framework: request.framework, createdBy, imported, job };
    const to = known ?? { beginning: await beginningOfTry(services, { ...begun, found: ofTry }, body) };
    await addSuite(services, to, body, createdBy);
    if ('beginning' in to) await linkTry(services, to.beginning, ofTry);
  }
  const found = known ?? (await findBuild(services, key, requestKeys)) ?? refuse(runExpired());
  if (found.hasJoined) return named(found.run);
  const open = await stillOpen(services, found.run, request);
  const { run, machineId } = await named(open);
  await addMachine(services, { ...found, run }, body, { requestKeys, job, machineId });
  return { run, machineId };
}

/** A machine that comes after the end of the run reopens it, and keeps it open until the caller releases it. */
const stillOpen = async (services: Services, run: Run, { lingers }: Pick<JoinRequest, 'lingers'>): Promise<Run> =>
  isUnderWay(run) ? run : reopenRun(services, run, { lingers });

/**
 * Whether the machine has already joined the run, or the run has ended and already contains everything in the request.
 */
const hasRecorded = async ({ run, hasJoined }: FoundBuild, { isRepetition }: JoinRequest): Promise<boolean> =>
  hasJoined || (!isUnderWay(run) && (await isRepetition?.(run)) === true);

interface FoundBuild {
  readonly run: Run;
  /** The group of the machine, if this or another machine has started the group. */
  readonly group: Group | undefined;
  readonly hasJoined: boolean;
}

/** Finds the run of a CI build, and whether the requesting machine has already joined it. */
async function findBuild(
  { table }: Services,
  key: Pick<Group, 'organizationId' | 'runId' | 'groupId'>,
  requestKeys: readonly string[],
): Promise<FoundBuild | undefined> {
  const wanted = [makeLookup(runs, key), makeLookup(groups, key)] as const;
  const wantedJoins = requestKeys.map((request) => makeLookup(joins, { ...key, request }));
  const found = await table.getTogether([...wanted, ...wantedJoins], { consistent: true });
  const run = found.of(wanted[0]);
  const hasJoined = wantedJoins.some((join) => found.of(join) !== undefined);
  return run && { run, group: found.of(wanted[1]), hasJoined };
}
