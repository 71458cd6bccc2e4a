/** §8 Limits how many of something may exist, even with concurrent requests. Removing one needs no counting. */
import type { ApiError } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Condition, expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, update, type Write } from '#shared/engine/table/writes.ts';
import { type CreationTurn, creationTurns } from '#shared/model/organizations/creation-turn.ts';

interface Creation extends Omit<CreationTurn, 'turn'> {
  readonly limit: number;
  /** Counts those that exist, by a consistent read. */
  readonly count: () => Promise<number>;
  readonly refusal: (limit: number) => ApiError;
}

/**
 * Throws `refusal` if there is no room for one more. Returns a write for the transaction that creates it. The
 * transaction fails if another request created one after they were counted, and the caller has to count again.
 */
export async function reserveRoom({ table }: WithTable, { limit, count, refusal, ...key }: Creation): Promise<Write> {
  // Read before the count, so that whatever is created later changes the turn.
  const storedTurn = await table.get(creationTurns, key, { consistent: true });
  if ((await count()) >= limit) throw refusal(limit);
  const condition: Condition = storedTurn ? expectSameValues(storedTurn, 'turn') : ABSENT;
  return update(creationTurns, key, { set: Object.entries(key), add: [['turn', 1]] }, condition);
}
