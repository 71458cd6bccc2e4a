/** Keeps a run open until an import or a machine of the same build completes it. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { completeRun } from './complete-run.ts';
import { judgeRun } from './judge-run.ts';
import { UNDER_WAY } from './states.ts';

/** Keeps the run open until `releaseRun` is called. Does nothing if the run has ended. */
export async function holdRun({ table }: WithTable, run: Run): Promise<void> {
  if (isUnderWay(run) && !run.held) await table.update(runs, run, { set: [['held', true]] }, UNDER_WAY);
}

/**
 * Stores the latest import in the row of the run. If the job failed, the run cannot pass, whatever the results of its
 * tests are.
 */
export async function noteImport(
  { table }: WithTable,
  run: Run,
  { importId, jobFailed }: { readonly importId: string; readonly jobFailed: boolean },
): Promise<void> {
  const set = [['importId', importId] as const, ...(jobFailed ? [['jobFailed', true] as const] : [])];
  if (run.importId !== importId || (jobFailed && !run.jobFailed)) await table.update(runs, run, { set }, PRESENT);
}

/** Notes that the job failed for a reason other than its tests, so that the run cannot pass. */
export async function noteFailedJob(services: Services, run: Run): Promise<void> {
  const noted = await services.table.update(runs, run, { set: [['jobFailed', true]] }, PRESENT);
  // The run may have ended since it was read, or an earlier request was killed before it updated the status.
  if (noted.done && !isUnderWay(noted.item)) await judgeRun(services, run);
}

/**
 * Stops keeping the run open, and ends the run if every expected test has finished. If the run has already ended, the
 * new results count as late.
 */
export async function releaseRun(services: Services, key: RunKey): Promise<void> {
  const changes = { remove: ['held'], set: [['released', true]] as const };
  const { item: run } = await services.table.update(runs, key, changes, { present: 'held' });
  if (run) await completeRun(services, run, { mayEnd: true });
}
