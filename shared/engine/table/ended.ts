/**
 * A row has ended when its expiry time has passed. DynamoDB or our code deletes it later. Until then, `Table` treats it
 * as absent, in reads and in conditions.
 */
import type { Attributes } from './entity.ts';
import { TABLE } from './schema.ts';
import type { Condition } from './update.ts';

const ENDS = [TABLE.expiresAt, TABLE.endsAt] as const;

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** `now` is in epoch milliseconds. */
export function hasEnded(row: Attributes, now: number): boolean {
  const ends = ENDS.map((name) => row[name]);
  return ends.some((end) => typeof end === 'number' && end <= toSeconds(now));
}

export const isEnded = (now: number): Condition => ({
  any: ENDS.map((path) => ({ path, atMost: toSeconds(now) })),
});

/** For puts, deletes and checks: an ended row counts as absent. */
export const ignoreEndedRow = (when: Condition, now: number): Condition =>
  isMetWithoutRow(when) ? { any: [when, isEnded(now)] } : { all: [when, { not: isEnded(now) }] };

/** For updates: fails if the row has ended. Otherwise the update would keep its other attributes. */
export const refuseEndedRow = (when: Condition | undefined, now: number): Condition => ({
  all: when ? [when, { not: isEnded(now) }] : [{ not: isEnded(now) }],
});

/** An update with such a condition would create a missing row. */
export function isMetWithoutRow(when: Condition | undefined): boolean {
  if (!when || 'absent' in when) return true;
  if ('all' in when) return when.all.every(isMetWithoutRow);
  if ('any' in when) return when.any.some(isMetWithoutRow);
  return 'not' in when && !isMetWithoutRow(when.not);
}
