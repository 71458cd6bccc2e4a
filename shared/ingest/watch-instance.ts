/**
 * Detects the end of a run without writing its row after each spec file. A run in progress always has one open instance
 * with the `watched` mark, or a request that will set it. The request that completes the watched instance marks another
 * open one, or ends the run.
 */
import { PRESENT } from '#shared/engine/table/writes.ts';
import { type InstanceKey, instances } from '#shared/model/tests/instance.ts';
import type { CoreServices } from '#shared/services.ts';

/**
 * Returns false if the instance is complete. Marking and completing change the same row, so one of them sees the other.
 */
export async function watchInstance({ table }: Pick<CoreServices, 'table'>, key: InstanceKey): Promise<boolean> {
  const isOpen = { all: [PRESENT, { absent: 'completedAt' }] };
  const { done } = await table.update(instances, key, { set: [['watched', true]] }, isOpen);
  return done;
}
