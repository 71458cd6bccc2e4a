/** The default period of pages that show results over time: whole days in UTC, including today. */
import { instant } from '#shared/engine/http/pagination.ts';
import { LIST_DAYS } from './limits.ts';

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

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
  const tomorrow = (Math.floor(now / DAY_MILLISECONDS) + 1) * DAY_MILLISECONDS;
  const date_end = query.date_end ?? tomorrow;
  const date_start = query.date_start ?? date_end - LIST_DAYS * DAY_MILLISECONDS;
  return { ...query, date_start, date_end };
}

export const periodOfList = ({ date_start: from, date_end: to }: { date_start: number; date_end: number }) => ({
  from,
  to,
});
