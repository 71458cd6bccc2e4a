/**
 * A row has ended when its expiry time has passed. DynamoDB or our code deletes it later. Until then, `Table` treats it
 * as absent, in reads and in conditions.
 */
import type { Attributes } from './entity.ts';
import { TABLE } from './schema.ts';
import type { Condition } from './update.ts';

const ENDS = [TABLE.expiresAt, TABLE.endsAt] as const;

const secondsOf = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** Whether the expiry time of a row has passed. `now` is in epoch milliseconds. */
export function hasEnded(row: Attributes, now: number): boolean {
  const ends = ENDS.map((name) => row[name]);
  return ends.some((end) => typeof end === 'number' && end <= secondsOf(now));
}

export const ENDED = (now: number): Condition => ({
  any: ENDS.map((path) => ({ path, atMost: secondsOf(now) })),
});

/** The condition of a put, delete or check, extended so that an ended row counts as absent. */
export const asIfGone = (when: Condition, now: number): Condition =>
  holdsWithoutRow(when) ? { any: [when, ENDED(now)] } : { all: [when, { not: ENDED(now) }] };

/**
 * The condition of an update, extended so that it fails if the row has ended. Otherwise the update would keep the other
 * attributes of the ended row.
 */
export const unlessEnded = (when: Condition | undefined, now: number): Condition => ({
  all: [...(when ? [when] : []), { not: ENDED(now) }],
});

/** Whether the condition holds for a missing row, so that an update with this condition would create the row. */
export function holdsWithoutRow(when: Condition | undefined): boolean {
  if (!when || 'absent' in when) return true;
  if ('all' in when) return when.all.every(holdsWithoutRow);
  if ('any' in when) return when.any.some(holdsWithoutRow);
  return 'not' in when && !holdsWithoutRow(when.not);
}
