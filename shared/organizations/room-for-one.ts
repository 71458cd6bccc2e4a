/**
 * §8 Limits how many of something may exist, however many requests create one at the same time. Nothing has to be
 * counted when one is removed.
 */
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
export async function roomForOne({ table }: WithTable, { limit, count, refusal, ...key }: Creation): Promise<Write> {
  // Read before the count, so that whatever is created later changes the turn.
  const known = await table.get(creationTurns, key, { consistent: true });
  if ((await count()) >= limit) throw refusal(limit);
  const unchanged: Condition = known ? expectSameValues(known, 'turn') : ABSENT;
  return update(creationTurns, key, { set: Object.entries(key), add: [['turn', 1]] }, unchanged);
}
