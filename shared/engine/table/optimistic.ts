/** Optimistic concurrency control: read, then write on the condition that nothing has changed since the read. */

import { waitBeforeAttempt } from './back-off.ts';
import type { Entity } from './entity.ts';
import { TABLE_LIMITS } from './limits.ts';
import type { Table } from './table.ts';
import type { Changes, Condition } from './update.ts';

/** What an attempt returns if something has changed meanwhile. The next attempt starts from `state`. */
export class Again<State> {
  readonly state: State;
  constructor(state: State) {
    this.state = state;
  }
}

/** For attempts that read what they start from. */
export const AGAIN = new Again(undefined);

/** `false` is no result, so that an attempt whose write failed cannot end the rounds by mistake. */
type AttemptResult = object | string | number | true | null | undefined;

/** Repeats `attempt` while it returns `AGAIN`, and returns what it returns otherwise. The first round is 0. */
export const retryOptimistically = <Result extends AttemptResult>(
  what: string,
  attempt: (round: number) => Promise<Result | typeof AGAIN>,
): Promise<Result> => retryOptimisticallyFrom(what, undefined, (_, round) => attempt(round));

/** Repeats `attempt` while it returns an `Again`, from whose state the next attempt starts. */
export async function retryOptimisticallyFrom<State, Result extends AttemptResult>(
  what: string,
  firstState: State,
  attempt: (state: State, round: number) => Promise<Result | Again<State>>,
): Promise<Result> {
  let state = firstState;
  for (let round = 0; round < TABLE_LIMITS.optimisticAttempts; round += 1) {
    await waitBeforeAttempt(round);
    const result = await attempt(state, round);
    if (!(result instanceof Again)) return result;
    ({ state } = result);
  }
  throw new Error(`The ${what} could not be saved because of too many concurrent changes. Try again`);
}

export interface RowChange {
  readonly changes: Changes;
  /** Fails if the row has changed since it was read. */
  readonly when: Condition;
}

/**
 * Changes a row as `plan` says, starting from `knownRow`. If the row has changed meanwhile, calls `plan` again with the
 * stored row, until a write succeeds or `plan` returns `undefined` because nothing is left to change. Returns the row
 * as it then is, or `undefined` if it has been deleted.
 */
export async function updateOptimistically<Key extends object, Item extends Key>(
  { table, entity, what }: { readonly table: Table; readonly entity: Entity<Key, Item>; readonly what: string },
  knownRow: Item,
  plan: (row: Item) => RowChange | undefined,
): Promise<Item | undefined> {
  return retryOptimisticallyFrom<Item | undefined, Item | undefined>(what, knownRow, async (row) => {
    const change = row && plan(row);
    if (!row || !change) return row;
    const outcome = await table.update(entity, row, change.changes, change.when);
    return outcome.done ? outcome.item : new Again(outcome.item);
  });
}
