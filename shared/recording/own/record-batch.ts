/** A batch of finished tests of a machine of our own reporters. It may be sent again. */
import type * as z from 'zod';
import { Again, retryOptimisticallyFrom } from '#shared/engine/table/optimistic.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { makeNamedSource } from '#shared/ingest/sources.ts';
import { recordInstances } from '#shared/lifecycle/record-instances.ts';
import { isTooLateToReopen } from '#shared/lifecycle/refuse-ended.ts';
import { reopenRun } from '#shared/lifecycle/reopen-run.ts';
import { type RecordingMachine, recordingMachines } from '#shared/model/runs/recording-machine.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { tooManyGaps, unknownGroup } from '#shared/recording/errors.ts';
import { noteLeftOut, summarizeLeftOut } from '#shared/recording/left-out.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { noteOrigin } from '#shared/recording/own-build.ts';
import { toUploadedInstance } from '#shared/recording/reported-test.ts';
import { presentCancellation } from '#shared/results/runs/run-feed.ts';
import type { Services } from '#shared/services.ts';
import { addReceived, countGaps, isReceived, listMissing } from './received.ts';
import type { BatchBody, StoredBatch } from './recording-wire.ts';
import { findStartedMachine, type RunRequest } from './started-machine.ts';

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
  const key = { organizationId, runId, machineId, process };
  const { run: before, machine, targets } = await findStartedMachine(services, key, sentInstances);
  const presentBatch = (receivedText: string, currentRun: Run): z.input<typeof StoredBatch> => ({
    sequence,
    missing: listMissing(receivedText, sequence, RECORDING_LIMITS.missingPerAnswer),
    cancellation: presentCancellation(currentRun),
    leftOut: leftOut.length > 0 ? summarizeLeftOut(leftOut) : undefined,
    leftOutTests: leftOut.length > 0 ? leftOutTests : undefined,
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
