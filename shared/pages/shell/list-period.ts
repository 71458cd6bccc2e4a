/** The default period of pages that show results over time: whole days in UTC, including today. */
import { instant } from '#shared/engine/http/pagination.ts';
import { LIST_DAYS } from './limits.ts';

export const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** The end of the current day in UTC. */
export const tomorrowAfter = (now: number): number => (Math.floor(now / DAY_MILLISECONDS) + 1) * DAY_MILLISECONDS;

export const LIST_RANGE = { date_start: instant.optional(), date_end: instant.optional() };

interface Sent {
  readonly date_start?: number | undefined;
  readonly date_end?: number | undefined;
}

/** Adds the default period to a query. `date_end` is exclusive. */
export function withPeriod<Query extends Sent>(
  query: Query,
  now: number,
): Query & { readonly date_start: number; readonly date_end: number } {
  const date_end = query.date_end ?? tomorrowAfter(now);
  const date_start = query.date_start ?? date_end - LIST_DAYS * DAY_MILLISECONDS;
  return { ...query, date_start, date_end };
}

export const periodOfList = ({ date_start: from, date_end: to }: { date_start: number; date_end: number }) => ({
  from,
  to,
});
