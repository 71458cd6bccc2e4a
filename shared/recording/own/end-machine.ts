/** The end of a machine of our own reporters. The run ends after all machines have ended. */
import type * as z from 'zod';
import { toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { releaseRun } from '#shared/lifecycle/complete-run.ts';
import { findRun } from '#shared/lifecycle/find-run.ts';
import { noteFailedJob } from '#shared/lifecycle/hold-run.ts';
import { getRecordingMachinesSpan, recordingMachines } from '#shared/model/runs/recording-machine.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { noteOrigin } from '#shared/recording/own-build.ts';
import { readProblems } from '#shared/results/runs/read-problems.ts';
import type { Services } from '#shared/services.ts';
import { listMissing } from './received.ts';
import type { EndedMachine, EndMachineBody } from './recording-wire.ts';
import { findStartedMachine, type RunRequest } from './started-machine.ts';

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
    problems: problems.length > 0 ? [...problems] : undefined,
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
  const endedCount = processGroups.length - openMachines.length;
  return Math.max(machines > 1 ? machines - endedCount : openMachines.length, lateMachines.length);
}
