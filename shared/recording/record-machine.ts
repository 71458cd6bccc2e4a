/**
 * The recording of a machine with one of our own reporters. The machine starts or joins the run of its build, sends
 * batches of finished tests and the files of these tests, and ends. Every request may be repeated.
 */
import type * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { type Found, type Lookup, lookup } from '#shared/engine/table/found.ts';
import { optimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, PRESENT } from '#shared/engine/table/writes.ts';
import { announceFiles } from '#shared/ingest/show-file.ts';
import { holdRun, noteFailedJob, releaseRun } from '#shared/lifecycle/hold-run.ts';
import { recordInstances } from '#shared/lifecycle/record-instances.ts';
import { instanceIdOf } from '#shared/model/ids.ts';
import { machinesOfRun, type RecordingMachine, recordingMachines } from '#shared/model/runs/recording-machine.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { type Artifact, objectNameOf, uploadKey } from '#shared/model/tests/artifact.ts';
import { instances } from '#shared/model/tests/instance.ts';
import { presentCancellation } from '#shared/results/run-feed.ts';
import type { Services } from '#shared/services.ts';
import { machineNotStarted, tooManyGaps } from './errors.ts';
import { joinRun, requestKeyOf } from './join-run.ts';
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
import { artifactIdOf } from './register-artifact.ts';
import { uploadedInstance } from './reported-test.ts';

/** Starts or joins the run of the build, with all groups that the machine records. */
export async function startRecording(
  services: Services,
  { organizationId, projectId, body }: { organizationId: string; projectId: string; body: StartRecordingBody },
): Promise<z.input<typeof StartedRecording>> {
  const { groups, machines, keepOpen, machineId, cancelAfterFailures, framework, pullRequest, github, ...members } =
    body;
  const ofPullRequest = pullRequest && {
    ciMergeRequestIid: pullRequest.id,
    ciMergeRequestTitle: pullRequest.title ?? undefined,
  };
  const ofGithub = github && { githubRunId: github.runId, githubRunAttempt: github.attempt };
  const ci = { params: { ...ofPullRequest, ...ofGithub } };
  const fullTestSuite = groups.map(({ platform, browser, ...group }) => group);
  const config = { currents: cancelAfterFailures ? { autoCancelAfterFailures: cancelAfterFailures } : {} };
  const requestKey = requestKeyOf(`machine ${machineId}`, undefined);
  // The machine joins its groups one after the other, because the first request stores the suite for all of them.
  const answers: Awaited<ReturnType<typeof joinRun>>[] = [];
  for (const { name: group, platform, browser } of groups) {
    const joining = { ...members, ci, projectId, machineId, group, platform, browser, config, fullTestSuite };
    const { type, version = null, clientVersion = null } = framework;
    answers.push(
      await joinRun(services, {
        organizationId,
        body: joining,
        framework: { type: type ?? 'unknown', version, clientVersion },
        requestKeys: [requestKey],
      }),
    );
  }
  const [answer] = answers;
  if (!answer) throw new Error('A recording without groups passed the validation');
  const { runId, runUrl, ciBuildId, isNewRun } = answer;
  const run = await findRun(services, { organizationId, runId });
  if (machines > 1 || keepOpen) await holdRun(services, run);
  const row = { organizationId, runId, machineId, at: services.now(), received: '', expiresAt: run.expiry.results };
  await services.table.put(recordingMachines, row, ABSENT);
  return { runId, runUrl, ciBuildId, isNewRun, cancellation: presentCancellation(run), limits: LIMITS };
}

const LIMITS = {
  batchBytes: RECORDING_LIMITS.batchBytes,
  filesPerCall: RECORDING_LIMITS.filesPerCall,
  fileBytes: RECORDING_LIMITS.artifactBytes,
};

const findRun = async ({ table }: Services, key: Pick<Run, 'organizationId' | 'runId'>): Promise<Run> =>
  (await table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));

type MachineKey = Pick<RecordingMachine, 'organizationId' | 'runId' | 'machineId'>;

/**
 * Finds the run and the machine that records it, and reads `more` with them. Throws 404 without a run, and 422 if the
 * machine has not started.
 */
async function findMachine(
  { table }: Services,
  key: MachineKey,
  more: readonly Lookup<unknown>[] = [],
): Promise<{ readonly run: Run; readonly machine: RecordingMachine; readonly found: Found }> {
  const wanted = [lookup(runs, key), lookup(recordingMachines, key)] as const;
  const found = await table.getTogether([...wanted, ...more], { consistent: true });
  const run = found.of(wanted[0]) ?? refuse(notFound('Run'));
  return { run, machine: found.of(wanted[1]) ?? refuse(machineNotStarted()), found };
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
  { organizationId, runId, body: { machineId, sequence, instances: sent } }: OfRun<BatchBody>,
): Promise<z.input<typeof StoredBatch>> {
  const key = { organizationId, runId, machineId };
  const { run, machine } = await findMachine(services, key);
  const stored = (received: string): z.input<typeof StoredBatch> => ({
    sequence,
    missing: missingBelow(received, sequence, RECORDING_LIMITS.missingPerAnswer),
    cancellation: presentCancellation(run),
  });
  if (isReceived(machine.received, sequence)) return stored(machine.received);
  if (gapsIn(withReceived(machine.received, sequence)) > RECORDING_LIMITS.gapsPerMachine)
    throw tooManyGaps(missingBelow(machine.received, sequence, RECORDING_LIMITS.missingPerAnswer));
  if (sent.length > 0) {
    const reported = sent.map((instance) => uploadedInstance(instance, services.now()));
    const requestKey = requestKeyOf(`machine ${machineId}`, undefined);
    await recordInstances(services, { run, machineId, requestKey, instances: reported });
  }
  return stored(await noteReceived(services, machine, sequence));
}

/** Adds a sequence number to the row of the machine. Returns all received numbers. */
async function noteReceived({ table, now }: Services, machine: RecordingMachine, sequence: number): Promise<string> {
  let known: RecordingMachine | undefined = machine;
  let received = '';
  await optimistically('batches of a machine', async () => {
    // The machine is missing if its run was deleted in the meantime.
    if (!known) return true;
    received = withReceived(known.received, sequence);
    const set = [['received', received] as const, ['at', now()] as const];
    const outcome = await table.update(
      recordingMachines,
      machine,
      { set },
      { path: 'received', equals: known.received },
    );
    known = outcome.done ? outcome.item : outcome.existing;
    return outcome.done;
  });
  return received;
}

/**
 * Announces files of recorded tests, and returns a presigned PUT URL for each file that is not stored yet. The same
 * content of the same attempt under the same name is one file.
 */
export async function announceRecordedFiles(
  services: Services,
  { organizationId, runId, body: { machineId, files } }: OfRun<FilesBody>,
): Promise<z.input<typeof FileLinks>> {
  const specFiles = distinctSpecFiles(runId, files).map((instanceId) =>
    lookup(instances, { organizationId, runId, instanceId }),
  );
  const { run, found } = await findMachine(services, { organizationId, runId, machineId }, specFiles);
  const specs = new Set(specFiles.flatMap((specFile) => found.of(specFile)?.instanceId ?? []));
  const hasExpired = (run.expiry.files ?? Number.POSITIVE_INFINITY) * 1000 <= services.now();
  const named = files.map((file) => ({ file, artifact: artifactOf(services, run, file) }));
  const accepted = named.filter(
    ({ file, artifact }) => !hasExpired && specs.has(artifact.instanceId) && file.bytes <= LIMITS.fileBytes,
  );
  const announced = await announceFiles(
    services,
    accepted.map(({ artifact }) => artifact),
  );
  const rows = new Map(announced.map((row) => [objectOf(row), row]));
  return {
    files: await Promise.all(
      named.map(async ({ file, artifact }) => {
        if (hasExpired) return { uploadUrl: null, reason: 'expired' as const };
        if (!specs.has(artifact.instanceId)) return { uploadUrl: null, reason: 'unknownSpec' as const };
        if (file.bytes > LIMITS.fileBytes) return { uploadUrl: null, reason: 'tooLarge' as const };
        if (rows.get(objectOf(artifact))?.bytes !== undefined) return { uploadUrl: null, reason: 'stored' as const };
        return { uploadUrl: await services.artifacts.uploadUrl(uploadKey(artifact)), reason: null };
      }),
    ),
  };
}

const distinctSpecFiles = (runId: string, files: readonly RecordedFile[]): string[] => [
  ...new Set(files.map(({ groupId, spec }) => instanceIdOf({ runId, groupId, spec }))),
];

const objectOf = ({ instanceId, objectName }: Artifact): string => `${instanceId}/${objectName}`;

function artifactOf({ now }: Services, { organizationId, runId, expiry }: Run, file: RecordedFile): Artifact {
  const { groupId, spec, type, name, contentType, sha256 } = file;
  const level = {
    ...(file.testId == null ? {} : { testId: file.testId }),
    ...(file.attempt == null ? {} : { attempt: file.attempt }),
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
  const objectName = objectNameOf({ artifactId, expiry, ...level });
  const instanceId = instanceIdOf({ runId, groupId, spec });
  const own = { artifactId, objectName, type, name, fileName, contentType };
  return { organizationId, instanceId, createdAt: now(), expiry, ...own, ...level };
}

/**
 * Ends the recording of a machine. If batches are missing, nothing changes, because the machine has to send them first.
 * The run ends when all of its machines have ended and every expected test has a result.
 */
export async function endMachine(
  services: Services,
  { organizationId, runId, body }: OfRun<EndMachineBody>,
): Promise<z.input<typeof EndedMachine>> {
  const { machineId, machines, keepOpen, batches, failed, errors } = body;
  const { table, now } = services;
  const key = { organizationId, runId, machineId };
  const { run, machine } = await findMachine(services, key);
  const missing = missingBelow(machine.received, batches, RECORDING_LIMITS.missingPerAnswer);
  if (missing.length > 0) return { missing, runHasEnded: !isUnderWay(run), waitsForMachines: 0 };
  if (failed || errors.length > 0) await noteFailedJob(services, run);
  const set = [['endedAt', now()] as const, ...(errors.length > 0 ? [['errors', errors] as const] : [])];
  await table.update(recordingMachines, key, { set }, PRESENT);
  // Reads the machines after its own end is stored, so that the last of several machines sees that all have ended.
  const waiting = machines > 1 ? machines - (await endedMachines(services, run)) : 0;
  if (waiting <= 0 && !keepOpen) await releaseRun(services, run);
  const { completionState } = await findRun(services, run);
  return { missing: [], runHasEnded: !isUnderWay({ completionState }), waitsForMachines: Math.max(0, waiting) };
}

async function endedMachines({ table }: Services, run: Run): Promise<number> {
  const all = await table.queryAll(recordingMachines, machinesOfRun(run), { consistent: true });
  return all.filter(({ endedAt }) => endedAt !== undefined).length;
}
