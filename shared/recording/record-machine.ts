/**
 * The recording of a machine with one of our own reporters. The machine starts or joins the run of its build, sends
 * batches of finished tests and the files of these tests, and ends. Every request may be repeated.
 */

import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { type Lookup, makeLookup } from '#shared/engine/table/found.ts';
import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { ABSENT, PRESENT } from '#shared/engine/table/writes.ts';
import { findTargets } from '#shared/ingest/execution-of.ts';
import { announceFiles } from '#shared/ingest/show-file.ts';
import { findInstancesOfTests, namedSource } from '#shared/ingest/sources.ts';
import { releaseRun } from '#shared/lifecycle/complete-run.ts';
import { findRun } from '#shared/lifecycle/find-run.ts';
import { holdRun, noteFailedJob } from '#shared/lifecycle/hold-run.ts';
import { recordInstances } from '#shared/lifecycle/record-instances.ts';
import { isTooLate } from '#shared/lifecycle/refuse-ended.ts';
import { reopenRun } from '#shared/lifecycle/reopen-run.ts';
import { deriveInstanceId, deriveMachineKey } from '#shared/model/ids.ts';
import { haveEnded } from '#shared/model/runs/expiry.ts';
import {
  getRecordingMachinesSpan,
  type RecordingMachine,
  recordingMachines,
} from '#shared/model/runs/recording-machine.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { type Artifact, getUploadKey } from '#shared/model/tests/artifact.ts';
import { readProblems } from '#shared/results/read-problems.ts';
import { presentCancellation } from '#shared/results/run-feed.ts';
import type { Services } from '#shared/services.ts';
import { isRoomIn, rowsOfRoom } from '#shared/usage/stored-bytes.ts';
import { machineNotStarted, tooManyGaps, unknownGroup } from './errors.ts';
import { joinRun } from './join-run.ts';
import { namedLeftOut, noteLeftOut } from './left-out.ts';
import { RECORDING_LIMITS } from './limits.ts';
import { gapsIn, isReceived, missingBelow, withReceived } from './received.ts';
import type {
  BatchBody,
  EndedMachine,
  EndMachineBody,
  FileLinks,
  FilesBody,
  RecordedFile,
  StartedRecording,
  StartRecordingBody,
  StoredBatch,
} from './recording-wire.ts';
import { artifactIdOf, withObjectName } from './register-artifact.ts';
import { uploadedInstance } from './reported-test.ts';

/** Starts or joins the run of the build, with all groups that the machine records. */
export async function startRecording(
  services: Services,
  { organizationId, projectId, body }: { organizationId: string; projectId: string; body: StartRecordingBody },
): Promise<z.input<typeof StartedRecording>> {
  const {
    groups: sentGroups,
    machineId,
    process,
    cancelAfterFailures,
    framework,
    pullRequest,
    github,
    job,
    try: again,
    ...members
  } = body;
  const ofPullRequest = pullRequest && {
    ciMergeRequestIid: pullRequest.id,
    ciMergeRequestTitle: pullRequest.title ?? undefined,
  };
  const ofGithub = github && { githubRunId: github.runId, githubRunAttempt: github.attempt };
  const ci = { params: { ...ofPullRequest, ...ofGithub } };
  const fullTestSuite = sentGroups.map(({ platform, browser, ...group }) => group);
  const config = { currents: cancelAfterFailures ? { autoCancelAfterFailures: cancelAfterFailures } : {} };
  const { type, version = null, clientVersion = null } = framework;
  const join = ({ name: group, platform, browser }: (typeof sentGroups)[number]) =>
    joinRun(services, {
      organizationId,
      body: { ...members, ci, projectId, machineId, group, platform, browser, config, fullTestSuite },
      framework: { type: type ?? 'unknown', version, clientVersion },
      requestKeys: [deriveMachineKey(machineId)],
      job: job ?? undefined,
      again: again ?? undefined,
    });
  const [first, ...others] = sentGroups;
  if (!first) throw new Error('A recording without groups passed the validation');
  // The first request stores the suite for all groups, so that the other requests only add the machine to their groups.
  const { runId, runUrl, ciBuildId, isNewRun } = await join(first);
  await mapConcurrently(others, join);
  const key = { organizationId, runId, machineId, process };
  const { run, machine } = await findMachine(services, key);
  if (!machine) {
    // The run stays open until its machines have ended, because they may record tests that they did not announce, and
    // report errors outside tests at their end. Only the first start of a machine holds the run open. If the network
    // delivered a start again after the end of the machine, nothing would let the run end.
    await holdRun(services, run);
    const received = { at: services.now(), received: '', period: run.ends, job: job?.name };
    const row = { ...key, ...received, expiresAt: run.expiry.results };
    await services.table.put(recordingMachines, row, ABSENT);
  }
  return { runId, runUrl, ciBuildId, isNewRun, cancellation: presentCancellation(run), limits: LIMITS };
}

const LIMITS = {
  batchBytes: RECORDING_LIMITS.batchBytes,
  filesPerCall: RECORDING_LIMITS.filesPerCall,
  fileBytes: RECORDING_LIMITS.artifactBytes,
};

type MachineKey = Pick<RecordingMachine, 'organizationId' | 'runId' | 'machineId' | 'process'>;

/**
 * Finds the run, the machine if it has started, and the groups and spec files that `sent` names. Throws 404 if the run
 * does not exist. `others` are further rows to read in the same round trip.
 */
async function findMachine(
  services: Services,
  key: MachineKey,
  sent: Parameters<typeof findTargets>[2] = [],
  others: readonly Lookup<unknown>[] = [],
) {
  const row = makeLookup(recordingMachines, key);
  const { found, ...targets } = await findTargets(services, key, sent, [row, ...others]);
  return { run: targets.run ?? refuse(notFound('Run')), targets, found, machine: found.of(row) };
}

/** Like `findMachine`, but throws 422 if the machine has not started. */
async function findStarted(...asked: Parameters<typeof findMachine>) {
  const { machine = refuse(machineNotStarted()), ...rest } = await findMachine(...asked);
  return { ...rest, machine };
}

interface OfRun<Body> {
  readonly organizationId: string;
  readonly runId: string;
  readonly body: Body;
}

/**
 * Stores a batch of finished tests. The sequence number is stored last, so that a batch that was interrupted is stored
 * again when the machine repeats it. Batches of one machine that are in flight at the same time must contain different
 * tests.
 */
export async function recordBatch(
  services: Services,
  { organizationId, runId, body }: OfRun<BatchBody>,
): Promise<z.input<typeof StoredBatch>> {
  const { machineId, process, sequence, instances } = body;
  const { valid: sent, leftOut, leftOutTests } = instances;
  const {
    run: before,
    machine,
    targets,
  } = await findStarted(services, { organizationId, runId, machineId, process }, sent);
  const stored = (received: string, latest: Run): z.input<typeof StoredBatch> => ({
    sequence,
    missing: missingBelow(received, sequence, RECORDING_LIMITS.missingPerAnswer),
    cancellation: presentCancellation(latest),
    ...(leftOut.length > 0 && { leftOut: namedLeftOut(leftOut), leftOutTests }),
  });
  if (isReceived(machine.received, sequence)) return stored(machine.received, before);
  if (gapsIn(withReceived(machine.received, sequence)) > RECORDING_LIMITS.gapsPerMachine)
    throw tooManyGaps(missingBelow(machine.received, sequence, RECORDING_LIMITS.missingPerAnswer));
  // The spec files may be unknown, because some frameworks find them late.
  if (sent.some(({ groupId }) => targets.groupOf(groupId) === undefined)) throw unknownGroup();
  const reported = sent.map((instance) => uploadedInstance(instance, services.now()));
  const source = namedSource(machineId);
  const run = sent.length > 0 ? await resumed(services, before, machine) : before;
  await noteLeftOut(services, run, {
    source: `${machineId} ${process ?? ''} ${sequence}`,
    texts: leftOut,
    job: machine.job,
  });
  // The failure of one of these tests may have cancelled the run, so the response uses the latest state of the run.
  const latest = await recordInstances(services, {
    targets: { ...targets, run },
    source,
    claimKey: source.key,
    instances: reported,
  });
  return stored(await noteReceived(services, machine, sequence), latest ?? run);
}

/** A machine that sends results after the end of its run, before it has ended itself, reopens the run. */
async function resumed(services: Services, run: Run, machine: RecordingMachine): Promise<Run> {
  const isLate = !isUnderWay(run) && machine.endedAt === undefined && !isTooLate(run, services.now());
  if (!isLate || run.completionState === 'CANCELED') return run;
  const reopened = await reopenRun(services, run);
  await services.table.update(recordingMachines, machine, { set: toAssignments({ period: reopened.ends }) }, PRESENT);
  return reopened;
}

/** Adds a sequence number to the row of the machine. Returns all received numbers. */
async function noteReceived({ table, now }: Services, machine: RecordingMachine, sequence: number): Promise<string> {
  let known: RecordingMachine | undefined = machine;
  let received = '';
  await retryOptimistically('batches of a machine', async () => {
    // The machine is missing if its run was deleted in the meantime.
    if (!known) return true;
    received = withReceived(known.received, sequence);
    const set = [['received', received] as const, ['at', now()] as const];
    const isSame = { path: 'received', equals: known.received };
    const outcome = await table.update(recordingMachines, machine, { set }, isSame);
    known = outcome.item;
    return outcome.done;
  });
  return received;
}

/**
 * Announces files of recorded tests. Returns a presigned PUT URL for each file, or the reason why it gets none. If an
 * attempt has the same content twice under the same name, both are one file.
 */
export async function announceRecordedFiles(
  services: Services,
  { organizationId, runId, body: { machineId, process, files } }: OfRun<FilesBody>,
): Promise<z.input<typeof FileLinks>> {
  const key = { organizationId, runId, machineId, process };
  const { run, targets, found } = await findStarted(services, key, files, rowsOfRoom(key));
  const isRoomLeft = isRoomIn(found, key, services);
  const isKnown = (file: RecordedFile) => targets.instanceOf(deriveInstanceId({ runId, ...file })) !== undefined;
  const hasExpired = haveEnded(run.expiry.files, services.now());
  const refusalOf = (file: RecordedFile): z.input<typeof FileLinks>['files'][number]['reason'] => {
    if (hasExpired) return 'expired';
    if (!isRoomLeft) return 'storageFull';
    if (!isKnown(file)) return 'unknownSpec';
    return file.bytes > LIMITS.fileBytes ? 'tooLarge' : null;
  };
  const source = namedSource(machineId);
  const instanceOf = await findInstancesOfTests(services, run, source, files, targets.instanceOf);
  const named = files.map((file) => {
    const artifact = artifactOf(services, run, file, instanceOf(file));
    return { artifact, refusal: refusalOf(file) };
  });
  const accepted = named.flatMap(({ artifact, refusal }) => (refusal === null ? [artifact] : []));
  const announced = await announceFiles(services, accepted, run);
  const stored = new Set(announced.filter(({ bytes }) => bytes !== undefined).map(objectOf));
  return {
    files: await Promise.all(
      named.map(async ({ artifact, refusal }) => {
        const reason = refusal ?? (stored.has(objectOf(artifact)) ? 'stored' : null);
        return {
          uploadUrl: reason
            ? null
            : await services.artifacts.uploadUrl(getUploadKey(artifact), artifact.announcedBytes),
          reason,
        };
      }),
    ),
  };
}

const objectOf = ({ instanceId, objectName }: Artifact): string => `${instanceId}/${objectName}`;

function artifactOf(
  { now }: Services,
  { organizationId, expiry }: Run,
  file: RecordedFile,
  instanceId: string,
): Artifact {
  const { type, name, contentType, sha256, bytes: announcedBytes } = file;
  const level = {
    testId: file.testId ?? undefined,
    attempt: file.attempt ?? undefined,
  };
  const fileName = file.fileName ?? null;
  const artifactId = artifactIdOf(
    'recording',
    sha256,
    name,
    fileName ?? '',
    level.testId ?? '',
    String(level.attempt ?? ''),
  );
  const own = { artifactId, type, name, fileName, contentType, announcedBytes };
  return withObjectName({ organizationId, instanceId, createdAt: now(), expiry, ...own, ...level });
}

/**
 * Ends the recording of a machine. If batches are missing, nothing changes, because the machine has to send them first.
 * The run ends when all of its machines have ended and every expected test has a result.
 */
export async function endMachine(
  services: Services,
  { organizationId, runId, body }: OfRun<EndMachineBody>,
): Promise<z.input<typeof EndedMachine>> {
  const { machineId, process, machines, keepOpen, batches, failed, errors } = body;
  const { table, now } = services;
  const key = { organizationId, runId, machineId, process };
  const { run, machine } = await findStarted(services, key);
  const missing = missingBelow(machine.received, batches, RECORDING_LIMITS.missingPerAnswer);
  if (missing.length > 0) return { missing, runHasEnded: !isUnderWay(run), waitsForMachines: 0 };
  if (failed || errors.length > 0) await noteFailedJob(services, run, machine.job);
  const set = errors.length > 0 ? [['errors', errors] as const] : [];
  await table.update(recordingMachines, key, { set, setIfAbsent: [['endedAt', now()]] }, PRESENT);
  // The machines are read after the end of this one is stored, so that the last of several sees that all have ended.
  const waiting = await openMachines(services, run, machines);
  if (waiting <= 0 && !keepOpen) await releaseRun(services, run);
  const latest = await findRun(services, run);
  const problems = await readProblems(services, latest);
  return {
    missing: [],
    runHasEnded: !isUnderWay(latest),
    waitsForMachines: Math.max(0, waiting),
    ...(problems.length > 0 && { problems: [...problems] }),
  };
}

/**
 * The number of machines whose end the run still waits for. A build of a known number of machines waits for so many ends,
 * because a restarted machine with another id replaces one that died. Otherwise each machine that started must end.
 */
async function openMachines({ table }: Services, run: Run, machines: number): Promise<number> {
  const rows = await table.queryAll(recordingMachines, getRecordingMachinesSpan(run), { consistent: true });
  // The end of a process replaces that of an earlier process of its machine that died.
  const all = [...Map.groupBy(rows, ({ machineId }) => machineId).values()];
  const open = all.filter((processes) => processes.every(({ endedAt }) => endedAt === undefined));
  const late = open.filter((processes) => processes.some(({ period }) => period !== undefined && period === run.ends));
  return Math.max(machines > 1 ? machines - (all.length - open.length) : open.length, late.length);
}
