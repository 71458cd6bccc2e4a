/** How the rows of a page are read, one round trip at a time. */
import type { Entity, Span } from '#shared/engine/table/entity.ts';
import type { Rows, Table } from '#shared/engine/table/table.ts';
import type { Condition } from '#shared/engine/table/update.ts';

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
export function estimateNextRead(
  { most, doubles }: Reads,
  so: { last: number; read: number; found: number; missing: number },
): number {
  if (so.found === 0) return doubles ? Math.max(most, 2 * so.last) : most;
  return Math.min(most, Math.ceil((SPARE * so.missing * so.read) / so.found));
}
