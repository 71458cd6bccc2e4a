/** §8 Cursor pagination: newest first, `starting_after` older, `ending_before` the nearest newer, a page exact. */
import * as z from 'zod';
import { bothCursors, invalidRequest } from './errors.ts';
import type { Cursors } from './http/cursor.ts';
import { LIMITS } from './limits.ts';
import type { Span } from './table/entity.ts';
import type { Rows } from './table/table.ts';

const cursor = (description: string) => z.string().min(1).max(LIMITS.cursorCharacters).optional().meta({ description });

/** The three query parameters of a cursor list. */
export const cursorQuery = (limit: { minimum: number; maximum: number; default: number }) => ({
  limit: z.int().min(limit.minimum).max(limit.maximum).default(limit.default).meta({ description: 'Items per page' }),
  starting_after: cursor('Cursor of an item; returns items older than it'),
  ending_before: cursor('Cursor of an item; returns the nearest items newer than it'),
});

export interface PageQuery {
  readonly limit: number;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
}

export interface Page<Item> {
  readonly hasMore: boolean;
  /** Newest first. `position` is what a cursor seals. */
  readonly items: readonly { readonly position: string; readonly item: Item }[];
}

export type Walk =
  | { readonly direction: 'older'; readonly after: string | undefined }
  | { readonly direction: 'newer'; readonly after: string };

export function walkOf(query: PageQuery, cursors: Cursors): Walk {
  if (query.starting_after !== undefined && query.ending_before !== undefined) throw bothCursors();
  if (query.ending_before !== undefined) return { direction: 'newer', after: cursors.open(query.ending_before) };
  const after = query.starting_after === undefined ? undefined : cursors.open(query.starting_after);
  return { direction: 'older', after };
}

export interface ReadOptions {
  readonly limit: number;
  readonly newestFirst: boolean;
  readonly after?: string;
}

/** How a list gets at its rows: one trip at a time, then each row's item, `undefined` where the filters leave it out. */
export interface Source<Row, Item> {
  readonly span: Span;
  readonly reads: Reads;
  readonly read: (span: Span, options: ReadOptions) => Promise<Rows<Row>>;
  readonly select: (rows: readonly Row[]) => Promise<readonly (Item | undefined)[]> | readonly (Item | undefined)[];
}

/** How many rows a trip asks for: the first one, and at most so many in the next. */
export interface Reads {
  readonly first: number;
  readonly most: number;
}

/** Rows of the first trip per item asked for, where filters may leave some out. */
const FILTERED_ROWS_PER_ITEM = 3;
/** Rows beyond what is expected to be needed, since they are not spread evenly. */
const SPARE = 1.5;

/** Few at first: most filters match much of what is newest, and every row read is paid for. */
export function readsFor(limit: number, { isFiltered, most }: { isFiltered: boolean; most: number }): Reads {
  return { first: isFiltered ? Math.min(most, FILTERED_ROWS_PER_ITEM * (limit + 1)) : limit + 1, most };
}

/** As many rows as the missing items take if they go on as before. */
function nextRead({ most }: Reads, so: { read: number; found: number; missing: number }): number {
  return so.found === 0 ? most : Math.min(most, Math.ceil((SPARE * so.missing * so.read) / so.found));
}

/** A cursor may lie outside a range that was moved since: before it the walk starts at its edge, beyond it nothing is left. */
function startOf({ from, to }: Span, { direction, after }: Walk): string | undefined | 'beyond' {
  if (after === undefined) return undefined;
  const [edge, end] = direction === 'older' ? [after > to, after < from] : [after < from, after > to];
  if (end) return 'beyond';
  return edge ? undefined : after;
}

/** Reads until the page is full and one more is known, so that `has_more` is never a promise that breaks. */
export async function readPage<Row, Item>(source: Source<Row, Item>, limit: number, walk: Walk): Promise<Page<Item>> {
  const found: { position: string; item: Item }[] = [];
  const start = startOf(source.span, walk);
  if (start === 'beyond') return { hasMore: false, items: [] };
  let after = start;
  let wanted = source.reads.first;
  let read = 0;
  for (let more = true; more && found.length <= limit; ) {
    const options = { limit: wanted, newestFirst: walk.direction === 'older', ...(after ? { after } : {}) };
    const { rows, lastRead } = await source.read(source.span, options);
    const items = await source.select(rows.map(({ item }) => item));
    rows.forEach(({ sk }, index) => {
      const item = items[index];
      if (item !== undefined) found.push({ position: sk, item });
    });
    after = lastRead;
    more = lastRead !== undefined;
    read += rows.length;
    wanted = nextRead(source.reads, { read, found: found.length, missing: limit + 1 - found.length });
  }
  const items = found.slice(0, limit);
  return { hasMore: found.length > limit, items: walk.direction === 'older' ? items : items.reverse() };
}

/** ISO 8601 with `Z`, an offset or only a date (midnight UTC), as milliseconds. */
export const instant = z
  .string()
  .max(40)
  .transform((text, context) => {
    // A `+` that nobody percent-encoded arrives as a blank.
    const iso = text.replace(/ (\d\d:?\d\d)$/, '+$1');
    const milliseconds = ISO_INSTANT.test(iso) && isCalendarDay(iso.slice(0, 10)) ? Date.parse(iso) : Number.NaN;
    if (!Number.isNaN(milliseconds)) return milliseconds;
    context.addIssue('must be an ISO 8601 date-time such as 2026-10-21T08:00:00Z');
    return z.NEVER;
  })
  .meta({ format: 'date-time' });

/** `Date.parse` takes 30 February for 2 March. */
const isCalendarDay = (day: string): boolean => {
  const midnight = new Date(day);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
};

const ISO_INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/i;

/** A range that could match nothing is a mistake of the caller's, not an empty list. */
export function refuseEmptyRange(start: number | undefined, end: number | undefined): void {
  if (start !== undefined && end !== undefined && start > end)
    throw invalidRequest('`date_start` is after `date_end`. Swap them');
}
