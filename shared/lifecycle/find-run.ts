import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';

/** Reads the latest state of a run. Throws 404 if it does not exist. */
export const findRun = async ({ table }: WithTable, key: RunKey): Promise<Run> =>
  (await table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
