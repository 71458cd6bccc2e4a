/**
 * §8 Cursor pagination, newest first. `starting_after` reads older items, `ending_before` the nearest newer ones. Every
 * page is full unless it is the last.
 */
import * as z from 'zod';
import { bothCursors, invalidRequest } from '#shared/engine/errors.ts';
import type { Entity, Span } from '#shared/engine/table/entity.ts';
import type { Rows, Table } from '#shared/engine/table/table.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import type { Cursors } from './cursor.ts';
import { PAGE_LIMITS } from './limits.ts';

const cursor = (description: string) =>
  z.string().min(1).max(PAGE_LIMITS.cursorCharacters).optional().meta({ description });

export const cursorQuery = (limit: { minimum: number; maximum: number; default: number }) => ({
  limit: z.int().min(limit.minimum).max(limit.maximum).default(limit.default).meta({ description: 'Items per page' }),
  starting_after: cursor('Cursor of an item; returns older items. Not together with `ending_before`'),
  ending_before: cursor('Cursor of an item; returns the nearest newer items. Not together with `starting_after`'),
});

export interface PageQuery {
  readonly limit: number;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
}

export interface Page<Item> {
  readonly hasMore: boolean;
  /** The items, newest first. The cursor of an item contains its `position`. */
  readonly items: readonly { readonly position: string; readonly item: Item }[];
}

export type Walk =
  | { readonly direction: 'older'; readonly after: string | undefined }
  | { readonly direction: 'newer'; readonly after: string };

export function parseWalk(query: PageQuery, cursors: Cursors): Walk {
  if (query.starting_after !== undefined && query.ending_before !== undefined) throw bothCursors();
  if (query.ending_before !== undefined) return { direction: 'newer', after: cursors.open(query.ending_before) };
  const after = query.starting_after === undefined ? undefined : cursors.open(query.starting_after);
  return { direction: 'older', after };
}

export interface ReadOptions {
  readonly limit: number;
  readonly newestFirst: boolean;
  readonly after: string | undefined;
}

/** Reads rows one round trip at a time. `select` returns the item of each row, or `undefined` if filters exclude it. */
export interface PageSource<Row, Item> {
  readonly span: Span;
  readonly reads: Reads;
  readonly read: (span: Span, options: ReadOptions) => Promise<Rows<Row>>;
  readonly select: (rows: readonly Row[]) => Promise<readonly (Item | undefined)[]> | readonly (Item | undefined)[];
}

/** The `read` of a list that consists of the rows of one entity. `filter` must hold for each row that is selected. */
export const makeRowReader =
  <Row extends object>(
    table: Table,
    entity: Pick<Entity<object, Row>, 'load'>,
    filter?: Condition,
  ): PageSource<Row, unknown>['read'] =>
  (span, options) =>
    table.query(entity, span, { ...options, filter });

/**
 * Reads only these parts of a span, which are in order and apart from each other. Where a part ends, the next read
 * continues with the next one.
 */
export const readParts =
  <Row>(read: PageSource<Row, unknown>['read'], parts: readonly Span[]): PageSource<Row, unknown>['read'] =>
  async (_, options) => {
    const { newestFirst, after } = options;
    const isAhead = ({ from, to }: Span) => after === undefined || (newestFirst ? from < after : to > after);
    const [part, next] = (newestFirst ? parts.toReversed() : parts).filter(isAhead);
    if (!part) return { rows: [], read: 0, lastRead: undefined };
    const isInside = after !== undefined && part.from < after && after < part.to;
    const page = await read(part, { ...options, after: isInside ? after : undefined });
    const end = newestFirst ? part.from : part.to;
    return { ...page, lastRead: page.lastRead ?? (next && end) };
  };

/** The rows that the first round trip reads, and the most that each later one may read. */
export interface Reads {
  readonly first: number;
  readonly most: number;
  /**
   * Whether each round trip may read twice as many rows as the one before while no row matches. Only for lists whose
   * database leaves out the rows that do not match.
   */
  readonly doubles: boolean;
}

/** Rows that the first round trip reads per item, if filters may exclude rows. */
const FILTERED_ROWS_PER_ITEM = 3;
/** A safety factor, because matches are not spread evenly. */
const SPARE = 1.5;

/** The first round trip is small, because most filters match many of the newest rows, and each row costs money. */
export function planReads(
  limit: number,
  { isFiltered, most, doubles = false }: { isFiltered: boolean; most: number; doubles?: boolean },
): Reads {
  return { first: isFiltered ? Math.min(most, FILTERED_ROWS_PER_ITEM * (limit + 1)) : limit + 1, most, doubles };
}

/** Extrapolates the share of matching rows so far. `last`: the rows of the last read. */
function estimateNextRead(
  { most, doubles }: Reads,
  so: { last: number; read: number; found: number; missing: number },
): number {
  if (so.found === 0) return doubles ? Math.max(most, 2 * so.last) : most;
  return Math.min(most, Math.ceil((SPARE * so.missing * so.read) / so.found));
}

/**
 * A cursor may be outside the range of the request. If it is before the range in reading direction, reading starts at
 * the edge of the range. If it is beyond the range, the list is empty.
 */
function computeStart({ from, to }: Span, { direction, after }: Walk): string | undefined | 'beyond' {
  if (after === undefined) return undefined;
  const [edge, end] = direction === 'older' ? [after > to, after < from] : [after < from, after > to];
  if (end) return 'beyond';
  return edge ? undefined : after;
}

/** Reads one more item than the page has, so that `has_more` is exact. */
export async function readPage<Row, Item>(
  source: PageSource<Row, Item>,
  limit: number,
  walk: Walk,
): Promise<Page<Item>> {
  const matches: { position: string; item: Item }[] = [];
  const start = computeStart(source.span, walk);
  if (start === 'beyond') return { hasMore: false, items: [] };
  let after = start;
  let rowLimit = source.reads.first;
  let read = 0;
  for (let more = true; more && matches.length <= limit; ) {
    const options = { limit: rowLimit, newestFirst: walk.direction === 'older', after };
    const { rows, read: last, lastRead } = await source.read(source.span, options);
    const items = await source.select(rows.map(({ item }) => item));
    rows.forEach(({ sk }, index) => {
      const item = items[index];
      if (item !== undefined) matches.push({ position: sk, item });
    });
    after = lastRead;
    more = lastRead !== undefined;
    read += last;
    const missingCount = limit + 1 - matches.length;
    rowLimit = estimateNextRead(source.reads, { last: rowLimit, read, found: matches.length, missing: missingCount });
  }
  const items = matches.slice(0, limit);
  return { hasMore: matches.length > limit, items: walk.direction === 'older' ? items : items.reverse() };
}

/** The texts of the 413 that is sent if a page is too large. */
export const suggestSmallerPage = ({ limit }: { readonly limit: number }) => ({
  what: 'The page',
  remedies: limit === 1 ? [] : ['ask for a smaller page with `limit`'],
});

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
