/** The default period of pages that show results over time: whole days in UTC, including today. */
import { instant } from '#shared/engine/http/instant.ts';
import { DAY } from '#shared/pages/design/time-units.ts';
import { LIST_DAYS } from './limits.ts';

export const getEndOfUtcDay = (now: number): number => (Math.floor(now / DAY) + 1) * DAY;

export const LIST_RANGE = { date_start: instant.optional(), date_end: instant.optional() };

interface PeriodQuery {
  readonly date_start?: number | undefined;
  readonly date_end?: number | undefined;
}

/** `date_end` is exclusive. */
export function addDefaultPeriod<Query extends PeriodQuery>(
  query: Query,
  now: number,
): Query & { readonly date_start: number; readonly date_end: number } {
  const date_end = query.date_end ?? getEndOfUtcDay(now);
  const date_start = query.date_start ?? date_end - LIST_DAYS * DAY;
  return { ...query, date_start, date_end };
}

export const toShownPeriod = ({ date_start: from, date_end: to }: { date_start: number; date_end: number }) => ({
  from,
  to,
});
