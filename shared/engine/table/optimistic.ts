/** Optimistic concurrency control: read, then write on the condition that nothing has changed since the read. */

import { backOff } from './back-off.ts';
import type { Entity } from './entity.ts';
import { TABLE_LIMITS } from './limits.ts';
import type { Table } from './table.ts';
import type { Changes, Condition } from './update.ts';

/** Repeats `attempt` until it returns true, which means that its conditional write succeeded. */
export async function optimistically(what: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < TABLE_LIMITS.optimisticAttempts; round += 1) {
    await backOff(round);
    if (await attempt()) return;
  }
  throw new Error(`The ${what} could not be saved because of too many concurrent changes. Try again`);
}

/** What to write, given the row as it is stored. */
export interface RowChange {
  readonly changes: Changes;
  /** Fails if the row has changed since it was read. */
  readonly when: Condition;
}

/**
 * Changes a row, starting from `known`. If the row has changed meanwhile, `plan` is called again with the row as it is
 * stored now. It returns `undefined` if nothing is left to change. Returns the stored row, or `undefined` if somebody
 * has deleted it: no other attempt could succeed then.
 */
export async function updateOptimistically<Key, Item extends Key>(
  { table, entity, what }: { readonly table: Table; readonly entity: Entity<Key, Item>; readonly what: string },
  known: Item,
  plan: (row: Item) => RowChange | undefined,
): Promise<Item | undefined> {
  let row: Item | undefined = known;
  await optimistically(what, async () => {
    const planned = row && plan(row);
    if (!row || !planned) return true;
    const outcome = await table.update(entity, row, planned.changes, planned.when);
    row = outcome.item;
    return outcome.done;
  });
  return row;
}
