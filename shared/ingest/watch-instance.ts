/**
 * Detects the end of a run without writing the row of the run after each spec file. While a run is in progress, one
 * open instance has the `watched` mark, or a request is about to set the mark. The request that completes the watched
 * instance marks another open instance, or ends the run.
 */
import type { WithTable } from '#shared/engine/table/table.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { type InstanceKey, instances } from '#shared/model/results/instance.ts';

/** Returns false if the instance is complete. Marking and completing change one row, so the second sees the first. */
export async function watchInstance({ table }: WithTable, key: InstanceKey): Promise<boolean> {
  const isOpen = { all: [PRESENT, { absent: 'completedAt' }] };
  const { done } = await table.update(instances, key, { set: [['watched', true]] }, isOpen);
  return done;
}
