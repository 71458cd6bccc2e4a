/** Starts or joins a run. All requests of a project with the same CI build id get the same run. */

import { isDeepStrictEqual } from 'node:util';
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
import { type Group, groups } from '#shared/model/runs/group.ts';
import { joins } from '#shared/model/runs/join.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { addSuite, isSuiteMissing } from './add-suite.ts';
import { missingSuite } from './errors.ts';
import { addJob, collectTags, mergeIntoRun } from './merge-run.ts';
import { assignMachineId } from './name-machine.ts';
import { noteOrigin } from './own-build.ts';
import type { RunRequest, SuiteGroup } from './run-request.ts';
import type { StoredSuite } from './suite.ts';
import { type FoundTry, findTry, linkTry, prepareRunOfTry } from './tries.ts';

/** Callers must first check that the run still accepts machines. */
async function addMachine(
  services: Services,
  { run, group }: FoundBuild,
  request: JoinRequest,
  machineId: string,
): Promise<void> {
  await noteOrigin(services, run, request.origin);
  await mergeIntoRun(services, run, collectTags(request));
  const { groupId, requestKeys } = request;
  const job = request.job?.name;
  if (request.job) await addJob(services, run, request.job);
  await describeGroup(services, run, request, group);
  const { organizationId, runId, expiry } = run;
  const jobFields = job === undefined ? {} : { job, machineId };
  const legFields = request.leg === undefined ? {} : { leg: request.leg };
  const named = { ...jobFields, ...legFields };
  const row = { organizationId, runId, groupId, at: services.now(), expiresAt: expiry.results, ...named };
  await services.table.writeMany(requestKeys.map((key) => put(joins, { ...row, request: key })));
}

/** A group that was created from the suite of another machine lacks its platform, because suites do not contain it. */
async function describeGroup(
  { table }: Services,
  { organizationId, runId }: Run,
  { groupId, facts }: RunRequest,
  storedGroup: FoundBuild['group'],
): Promise<void> {
  const storedFacts = storedGroup && { platform: storedGroup.platform, coverageEnabled: storedGroup.coverageEnabled };
  if (isDeepStrictEqual(facts, storedFacts)) return;
  await table.update(groups, { organizationId, runId, groupId }, { set: Object.entries(facts) }, PRESENT);
}

const REQUEST_CHARACTERS = 16;

export const deriveRequestKey = (idempotencyKey: string | undefined, body: unknown): string =>
  computeDigest(REQUEST_CHARACTERS, idempotencyKey ?? JSON.stringify(body));

export interface JoinRequest extends RunRequest {
  /** The first key stays the same across retries. A machine has joined if a request with any of these keys has. */
  readonly requestKeys: readonly [string, ...string[]];
  /** Which try of its build an import belongs to. Its build id is then already that of the try. */
  readonly buildTry?: FoundTry | undefined;
  /**
   * The suite of only this machine. A later try expects nothing else: who runs the failed jobs of a build again runs only
   * some of its shards, but the reporter of each shard sends the suite of all of them.
   */
  readonly ownSuite?: readonly SuiteGroup[] | undefined;
  /** Whether a run that this request reopens ends after it has been silent, because nobody will release it. */
  readonly lingers?: boolean;
  /** Returns whether the run already contains everything in the request. For clients that send no idempotency keys. */
  readonly isRepetition?: (run: Run) => Promise<boolean>;
}

export interface JoinedRun {
  /** As it was before the machine joined. */
  readonly run: Run;
  readonly machineId: string;
  readonly isNewRun: boolean;
}

export async function joinRun(services: Services, request: JoinRequest): Promise<JoinedRun> {
  const { organizationId, projectId, ciBuildId: sentId, ownSuite, suite } = request;
  const [requestKey] = request.requestKeys;
  const project = await findProject(services, { organizationId, projectId }, { consistent: true });
  const sentTry = sentId === undefined ? undefined : { ...request, ciBuildId: sentId };
  const buildTry = request.buildTry ?? (sentTry && (await findTry(services, sentTry)));
  const isLater = buildTry?.tryOf !== undefined && isLaterTry(buildTry.tryOf);
  const build = { project, buildTry, ciBuildId: buildTry?.ciBuildId ?? `auto:${requestKey}` };
  const expectedSuite = isLater && ownSuite ? ownSuite : suite;
  const joinedRun = await ensureJoined(services, { ...request, suite: expectedSuite }, build);
  return { ...joinedRun, isNewRun: joinedRun.run.createdBy === requestKey };
}

interface Build {
  readonly ciBuildId: string;
  readonly project: ProjectRecord;
  readonly buildTry: FoundTry | undefined;
}

/** Returns the run of the build after the machine has joined it, and the id of the machine in this run. */
async function ensureJoined(
  services: Services,
  request: JoinRequest,
  build: Build,
): Promise<Omit<JoinedRun, 'isNewRun'>> {
  const { organizationId, projectId, groupId, requestKeys } = request;
  const [createdBy] = requestKeys;
  const identifyMachine = async (run: Run) => ({
    run,
    machineId: await assignMachineId(services, run, request, createdBy),
  });
  const runId = deriveRunId({ organizationId, projectId, ciBuildId: build.ciBuildId });
  const key = { organizationId, runId, groupId };
  const existingBuild = await findBuild(services, key, requestKeys);
  if (existingBuild && (await hasRecorded(existingBuild, request))) return identifyMachine(existingBuild.run);
  const { deletesAt } = build.project;
  // A run in progress may go on, so that a job does not fail halfway.
  if (existingBuild && !isUnderWay(existingBuild.run) && deletesAt !== undefined) throw projectIsDeleted(deletesAt);
  const openBuild = existingBuild && {
    ...existingBuild,
    run: await reopenIfEnded(services, existingBuild.run, request),
  };
  if (!openBuild && request.suite.length === 0) throw missingSuite();
  const isMissing = !openBuild?.group || (await isSuiteMissing(services, openBuild.run, request));
  let result: Partial<StoredSuite> = {};
  if (isMissing) {
    const target = openBuild ?? {
      beginning: await prepareRunOfTry(services, { ...build, runId, createdBy }, request),
    };
    result = await addSuite(services, target, request, createdBy);
    if ('beginning' in target) await linkTry(services, target.beginning, build.buildTry);
  }
  const foundBuild = openBuild
    ? { ...openBuild, run: result.run ?? openBuild.run, group: openBuild.group ?? result.group }
    : ((await findBuild(services, key, requestKeys, result)) ?? refuse(runExpired()));
  if (foundBuild.hasJoined) return identifyMachine(foundBuild.run);
  const openRun = await reopenIfEnded(services, foundBuild.run, request);
  const { run, machineId } = await identifyMachine(openRun);
  await addMachine(services, { ...foundBuild, run }, request, machineId);
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

/**
 * Reads the run and the joins consistently, because they decide. The group only tells what is left to write, and is read
 * once the run exists: when hundreds of machines start together, most find none. `justRead` is what was read or written
 * a moment ago.
 */
async function findBuild(
  { table }: Services,
  key: Pick<Group, 'organizationId' | 'runId' | 'groupId'>,
  requestKeys: readonly string[],
  justRead: Partial<StoredSuite> = {},
): Promise<FoundBuild | undefined> {
  const runLookup = makeLookup(runs, key);
  const joinLookups = requestKeys.map((request) => makeLookup(joins, { ...key, request }));
  const rows = await table.getTogether([...(justRead.run ? [] : [runLookup]), ...joinLookups], { consistent: true });
  const run = justRead.run ?? rows.of(runLookup);
  if (!run) return undefined;
  const hasJoined = joinLookups.some((join) => rows.of(join) !== undefined);
  const group =
    justRead.group ?? (await table.get(groups, key)) ?? (await table.get(groups, key, { consistent: true }));
  return { run, group, hasJoined };
}
