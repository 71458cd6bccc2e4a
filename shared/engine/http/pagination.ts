/**
 * §8 Cursor pagination, newest first. `starting_after` reads older items, `ending_before` the nearest newer ones. Every
 * page is full unless it is the last.
 */
import * as z from 'zod';
import { bothCursors } from '#shared/engine/errors.ts';
import type { Span } from '#shared/engine/table/entity.ts';
import type { Cursors } from './cursor.ts';
import { PAGE_LIMITS } from './limits.ts';
import { estimateNextRead, type PageSource } from './page-source.ts';

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
