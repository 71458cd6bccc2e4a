/** Errors that happened outside tests, such as a rejected promise, as the machines of a run sent them at their end. */

import type { WithTable } from '#shared/engine/table/table.ts';
import { getRecordingMachinesSpan, recordingMachines } from '#shared/model/runs/recording-machine.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { RESULT_LIMITS } from '../limits.ts';

export interface ErrorOutsideTests {
  readonly message: string;
  /** The number of machines that sent this error. */
  readonly machines: number;
}

/** Most frequent first. Reads nothing unless the job failed, which such an error implies. Secrets are not masked. */
export async function readErrorsOutsideTests({ table }: WithTable, run: Run): Promise<readonly ErrorOutsideTests[]> {
  if (!run.jobFailed) return [];
  const { rows } = await table.query(recordingMachines, getRecordingMachinesSpan(run));
  const machineCounts = new Map<string, number>();
  for (const { item } of rows)
    for (const message of new Set(item.errors)) machineCounts.set(message, (machineCounts.get(message) ?? 0) + 1);
  return [...machineCounts]
    .map(([message, machines]) => ({ message, machines }))
    .toSorted((one, other) => other.machines - one.machines)
    .slice(0, RESULT_LIMITS.errorsOutsideTests);
}
