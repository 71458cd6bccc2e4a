/** Reads an ended run as a whole: its groups, its instances and their tests. */
import { UnreadableBytes } from '#shared/engine/table/packed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { collectInstanceTests } from '#shared/ingest/store-details.ts';
import { type Instance, isComplete } from '#shared/model/results/instance.ts';
import {
  detailsParts,
  getDetailsSpan,
  joinDetails,
  type RecordedTest,
} from '#shared/model/results/instance-details.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { getRunRowsSpan, runRows, splitRunRows } from '#shared/model/runs/run-rows.ts';

/**
 * §3 The tests of an instance that have a final result, even if other tests were still running when the run ended. All
 * other tests are left out of all metrics. Returns `undefined` if the stored results are damaged. The run then counts
 * without this instance.
 */
export async function readInstanceTests(
  services: WithTable,
  instance: Instance,
): Promise<readonly RecordedTest[] | undefined> {
  try {
    const details = isComplete(instance)
      ? joinDetails(await services.table.queryAll(detailsParts, getDetailsSpan(instance), { consistent: true }))
      : undefined;
    const { tests } =
      details ??
      (await collectInstanceTests(services, await loadResults(services, instance, { consistent: true }), []));
    return tests.filter(({ done }) => done);
  } catch (error) {
    if (error instanceof UnreadableBytes) return undefined;
    throw error;
  }
}

/** Returns `undefined` unless the run has ended. */
export async function readWholeRun(
  { table }: WithTable,
  runKey: Pick<Run, 'organizationId' | 'runId'>,
): Promise<WholeRun | undefined> {
  const { run, ...members } = splitRunRows(await table.queryAll(runRows, getRunRowsSpan(runKey), { consistent: true }));
  return run?.endedAt === undefined ? undefined : { run, ...members };
}

export interface WholeRun {
  readonly run: Run;
  readonly groups: readonly Group[];
  readonly instances: readonly Instance[];
}
