/** Optimistic concurrency control: read, then write on the condition that nothing has changed since the read. */

import { waitBeforeAttempt } from './back-off.ts';
import type { Entity } from './entity.ts';
import { TABLE_LIMITS } from './limits.ts';
import type { Table } from './table.ts';
import type { Changes, Condition } from './update.ts';

/** Repeats `attempt` until it returns true, which means that its conditional write succeeded. */
export async function retryOptimistically(what: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < TABLE_LIMITS.optimisticAttempts; round += 1) {
    await waitBeforeAttempt(round);
    if (await attempt()) return;
  }
  throw new Error(`The ${what} could not be saved because of too many concurrent changes. Try again`);
}

export interface RowChange {
  readonly changes: Changes;
  /** Fails if the row has changed since it was read. */
  readonly when: Condition;
}

/**
 * Changes a row, starting from `knownRow`. If the row has changed meanwhile, calls `plan` again with the stored row,
 * until it returns `undefined`. Returns the stored row, or `undefined` if it is deleted: no attempt could succeed.
 */
export async function updateOptimistically<Key, Item extends Key>(
  { table, entity, what }: { readonly table: Table; readonly entity: Entity<Key, Item>; readonly what: string },
  knownRow: Item,
  plan: (row: Item) => RowChange | undefined,
): Promise<Item | undefined> {
  let row: Item | undefined = knownRow;
  await retryOptimistically(what, async () => {
    const change = row && plan(row);
    if (!row || !change) return true;
    const outcome = await table.update(entity, row, change.changes, change.when);
    row = outcome.item;
    return outcome.done;
  });
  return row;
}
