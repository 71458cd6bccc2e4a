/** Times in queries. */
import * as z from 'zod';
import { invalidRequest } from '#shared/engine/errors.ts';

/** An ISO 8601 date-time with `Z` or an offset, or a date (midnight UTC). It is converted to epoch milliseconds. */
export const instant = z
  .string()
  .max(40)
  .transform((text, context) => {
    // The `+` of an offset arrives as a space if the client did not percent-encode it.
    const iso = text.replace(/ (\d\d:?\d\d)$/, '+$1');
    const milliseconds = ISO_INSTANT.test(iso) && isCalendarDay(iso.slice(0, 10)) ? Date.parse(iso) : Number.NaN;
    if (!Number.isNaN(milliseconds)) return milliseconds;
    context.addIssue(
      ISO_INSTANT.test(`${iso}Z`)
        ? 'has no UTC offset. Append `Z`, or an offset such as `+02:00` with its `+` sent as %2B'
        : 'must be an ISO 8601 date-time such as 2026-10-21T08:00:00Z, or a date such as 2026-10-21',
    );
    return z.NEVER;
  })
  .meta({ format: 'date-time' });

/** `Date.parse` does not check this: it reads 30 February as 2 March. */
const isCalendarDay = (day: string): boolean => {
  const midnight = new Date(day);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
};

const ISO_INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/i;

/** Throws 400 for a reversed range, because it is a mistake of the client and should not look like an empty list. */
export function refuseEmptyRange(start: number | undefined, end: number | undefined): void {
  if (start !== undefined && end !== undefined && start > end)
    throw invalidRequest('`date_start` is after `date_end`. Swap them', ['date_start', 'date_end']);
}
