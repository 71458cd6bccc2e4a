/** Recording with our own reporters: a machine starts, sends batches, and ends. All requests may be repeated. */

import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { Again, retryOptimisticallyFrom } from '#shared/engine/table/optimistic.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { ABSENT, PRESENT } from '#shared/engine/table/writes.ts';
import { makeNamedSource } from '#shared/ingest/sources.ts';
import { releaseRun } from '#shared/lifecycle/complete-run.ts';
import { findRun } from '#shared/lifecycle/find-run.ts';
import { holdRun, noteFailedJob } from '#shared/lifecycle/hold-run.ts';
import { recordInstances } from '#shared/lifecycle/record-instances.ts';
import { isTooLateToReopen } from '#shared/lifecycle/refuse-ended.ts';
import { reopenRun } from '#shared/lifecycle/reopen-run.ts';
import { deriveMachineKey } from '#shared/model/ids.ts';
import { findBuildId, findCiJob } from '#shared/model/runs/ci-job.ts';
import type { Origin } from '#shared/model/runs/origin.ts';
import {
  getRecordingMachinesSpan,
  type RecordingMachine,
  recordingMachines,
} from '#shared/model/runs/recording-machine.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import { tooManyGaps, unknownGroup } from '#shared/recording/errors.ts';
import { joinRun } from '#shared/recording/join-run.ts';
import { noteLeftOut, summarizeLeftOut } from '#shared/recording/left-out.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { noteOrigin } from '#shared/recording/own-build.ts';
import { toUploadedInstance } from '#shared/recording/reported-test.ts';
import { completeFramework, mergeBrowser } from '#shared/recording/run-wire.ts';
import { readProblems } from '#shared/results/runs/read-problems.ts';
import { presentCancellation } from '#shared/results/runs/run-feed.ts';
import type { Services } from '#shared/services.ts';
import { addReceived, countGaps, isReceived, listMissing } from './received.ts';
import type {
  BatchBody,
  EndedMachine,
  EndMachineBody,
  StartedRecording,
  StartRecordingBody,
  StoredBatch,
} from './recording-wire.ts';
import { findStartedMachine, MACHINE_LIMITS, type RunRequest } from './started-machine.ts';

/** Starts or joins the run of the build, with all groups that the machine records. */
export async function startRecording(
  services: Services,
  {
    organizationId,
    projectId,
    body,
    origin,
  }: { organizationId: string; projectId: string; body: StartRecordingBody; origin?: Origin | undefined },
): Promise<z.input<typeof StartedRecording>> {
  const { groups: sentGroups, machineId, process, commit, tags, pullRequest, github } = body;
  const githubVariables = github ? { githubRunId: github.runId, githubRunAttempt: github.attempt } : {};
  const job = body.job ?? findCiJob(githubVariables);
  const suite = sentGroups.map(({ platform, browser, ...group }) => group);
  const join = ({ name: groupId, platform, browser }: (typeof sentGroups)[number]) =>
    joinRun(services, {
      organizationId,
      projectId,
      ciBuildId: body.ciBuildId || findBuildId(githubVariables),
      commit,
      tags,
      job,
      suite,
      machineId,
      groupId,
      holds: true,
      facts: { platform: mergeBrowser(platform, browser), coverageEnabled: false },
      framework: completeFramework(body.framework),
      pullRequest: pullRequest ? { id: pullRequest.id, title: pullRequest.title ?? null } : undefined,
      github: github ?? undefined,
      again: body.try ?? undefined,
      cancelAfterFailures: body.cancelAfterFailures ?? undefined,
      requestKeys: [deriveMachineKey(machineId)],
      origin,
    });
  const [first, ...others] = sentGroups;
  if (!first) throw new Error('A recording without groups passed the validation');
  // The first request stores the suite for all groups, so that the other requests only add the machine to their groups.
  const { run, isNewRun } = await join(first);
  const { runId, ciBuildId } = run;
  await mapConcurrently(others, join);
  const key = { organizationId, runId, machineId, process };
  const machine = await services.table.get(recordingMachines, key, { consistent: true });
  if (!machine) {
    // The run stays open until its machines have ended, because they may record tests that they did not announce, and
    // report errors outside tests at their end. Only the first start of a machine holds the run open. If the network
    // delivered a start again after the end of the machine, nothing would let the run end.
    await holdRun(services, run);
    const startedAt = services.now();
    const initialState = { at: startedAt, startedAt, received: '', period: run.ends, job: job?.name };
    const row = { ...key, ...initialState, part: body.part ?? undefined, expiresAt: run.expiry.results };
    await services.table.put(recordingMachines, row, ABSENT);
  }
  const runUrl = getRunUrl(services.origin, run);
  return { runId, runUrl, ciBuildId, isNewRun, cancellation: presentCancellation(run), limits: MACHINE_LIMITS };
}

/**
 * The sequence number is stored last, so that an interrupted batch is stored again when the machine repeats it. Batches
 * of one machine that are in flight at the same time must contain different tests.
 */
export async function recordBatch(
  services: Services,
  { organizationId, runId, body, origin }: RunRequest<BatchBody>,
): Promise<z.input<typeof StoredBatch>> {
  const { machineId, process, sequence, instances } = body;
  const { valid: sentInstances, leftOut, leftOutTests } = instances;
  const {
    run: before,
    machine,
    targets,
  } = await findStartedMachine(services, { organizationId, runId, machineId, process }, sentInstances);
  const presentBatch = (receivedText: string, currentRun: Run): z.input<typeof StoredBatch> => ({
    sequence,
    missing: listMissing(receivedText, sequence, RECORDING_LIMITS.missingPerAnswer),
    cancellation: presentCancellation(currentRun),
    ...(leftOut.length > 0 && { leftOut: summarizeLeftOut(leftOut), leftOutTests }),
  });
  if (isReceived(machine.received, sequence)) return presentBatch(machine.received, before);
  if (countGaps(addReceived(machine.received, sequence)) > RECORDING_LIMITS.gapsPerMachine)
    throw tooManyGaps(listMissing(machine.received, sequence, RECORDING_LIMITS.missingPerAnswer));
  // The spec files may be unknown, because some frameworks find them late.
  if (sentInstances.some(({ groupId }) => targets.groupOf(groupId) === undefined)) throw unknownGroup();
  await noteOrigin(services, before, origin);
  const reportedInstances = sentInstances.map((instance) => toUploadedInstance(instance, services.now()));
  const source = makeNamedSource(machineId);
  const run = sentInstances.length > 0 ? await reopenForMachine(services, before, machine) : before;
  await noteLeftOut(services, run, {
    source: `${machineId} ${process ?? ''} ${sequence}`,
    texts: leftOut,
    job: machine.job,
  });
  // The failure of one of these tests may have cancelled the run, so the response uses the latest state of the run.
  const latestRun = await recordInstances(services, {
    targets: { ...targets, run },
    source,
    claimKey: source.key,
    instances: reportedInstances,
  });
  return presentBatch(await noteReceived(services, machine, sequence), latestRun ?? run);
}

/** A machine that sends results after the end of its run, before it has ended itself, reopens the run. */
async function reopenForMachine(services: Services, run: Run, machine: RecordingMachine): Promise<Run> {
  const isLate = !isUnderWay(run) && machine.endedAt === undefined && !isTooLateToReopen(run, services.now());
  if (!isLate || run.completionState === 'CANCELED') return run;
  const reopenedRun = await reopenRun(services, run);
  await services.table.update(
    recordingMachines,
    machine,
    { set: toAssignments({ period: reopenedRun.ends }) },
    PRESENT,
  );
  return reopenedRun;
}

/** Adds a sequence number to the row of the machine. Returns all received numbers. */
async function noteReceived({ table, now }: Services, machine: RecordingMachine, sequence: number): Promise<string> {
  const { received } = machine;
  return retryOptimisticallyFrom('batches of a machine', received, async (storedText) => {
    const receivedText = addReceived(storedText, sequence);
    const set = [['received', receivedText] as const, ['at', now()] as const];
    const isSame = { path: 'received', equals: storedText };
    const outcome = await table.update(recordingMachines, machine, { set }, isSame);
    // The machine is missing if its run was deleted in the meantime.
    return outcome.done || !outcome.item ? receivedText : new Again(outcome.item.received);
  });
}

/** If batches are missing, nothing changes. The run ends after all machines, once every expected test has a result. */
export async function endMachine(
  services: Services,
  { organizationId, runId, body, origin }: RunRequest<EndMachineBody>,
): Promise<z.input<typeof EndedMachine>> {
  const { machineId, process, machines, keepOpen, batches, failed, errors, toRepeat } = body;
  const { table, now } = services;
  const key = { organizationId, runId, machineId, process };
  const { run, machine } = await findStartedMachine(services, key);
  const missingBatches = listMissing(machine.received, batches, RECORDING_LIMITS.missingPerAnswer);
  if (missingBatches.length > 0) return { missing: missingBatches, runHasEnded: !isUnderWay(run), waitsForMachines: 0 };
  await noteOrigin(services, run, origin);
  if (failed || errors.length > 0) await noteFailedJob(services, run, machine.job);
  const set = toAssignments({ errors: errors.length > 0 ? errors : undefined, toRepeat: toRepeat ?? undefined });
  await table.update(recordingMachines, key, { set, setIfAbsent: [['endedAt', now()]] }, PRESENT);
  // The machines are read after the end of this one is stored, so that the last of several sees that all have ended.
  const openCount = await countOpenMachines(services, run, machines);
  if (openCount <= 0 && !keepOpen) await releaseRun(services, run);
  const latestRun = await findRun(services, run);
  const problems = await readProblems(services, latestRun);
  return {
    missing: [],
    runHasEnded: !isUnderWay(latestRun),
    waitsForMachines: Math.max(0, openCount),
    ...(problems.length > 0 && { problems: [...problems] }),
  };
}

/**
 * The number of machines whose end the run still waits for. A build of a known number of machines waits for so many ends,
 * because a restarted machine with another id replaces one that died. Otherwise each machine that started must end.
 */
async function countOpenMachines({ table }: Services, run: Run, machines: number): Promise<number> {
  const rows = await table.queryAll(recordingMachines, getRecordingMachinesSpan(run), { consistent: true });
  // The end of a process replaces that of an earlier process of its machine that died.
  const processGroups = [...Map.groupBy(rows, ({ machineId }) => machineId).values()];
  const openMachines = processGroups.filter((processes) => processes.every(({ endedAt }) => endedAt === undefined));
  // Machines that joined or reopened the run since its last end hold it open even if the build names fewer machines.
  const lateMachines = openMachines.filter((processes) =>
    processes.some(({ period }) => period !== undefined && period === run.ends),
  );
  return Math.max(
    machines > 1 ? machines - (processGroups.length - openMachines.length) : openMachines.length,
    lateMachines.length,
  );
}
