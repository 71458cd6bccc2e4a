/** Processes due rows page by page until the time is up. A failed row stays due and does not block the others. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { Entity, Span } from './entity.ts';
import { TABLE_LIMITS } from './limits.ts';
import type { Table } from './table.ts';

export interface Sweep {
  /** Rows that the sweep tried, including failed ones. */
  readonly due: number;
  readonly failed: number;
  /** How long the oldest row has been due: how far the work lags behind. */
  readonly lateSeconds: number;
  readonly finished: boolean;
}

interface Run {
  /** The remaining time. The sweep stops before it runs out. */
  readonly remainingMilliseconds: () => number;
  readonly onFailure?: (error: unknown) => void;
}

interface Index<Row extends object> extends Pick<Entity<object, Row>, 'load'> {
  readonly shards: number;
  readonly span: (shard: number, until: number) => Span;
}

/**
 * Handles all due rows. `handle` removes or moves the row. It must be idempotent: it may run again, also concurrently.
 */
export async function sweep<Row extends object>(
  { table, now }: { readonly table: Table; readonly now: () => number },
  run: Run,
  index: Index<Row>,
  { dueAt, handle }: { dueAt: (row: Row) => number; handle: (row: Row) => Promise<void> },
): Promise<Sweep> {
  const began = now();
  let due = 0;
  let failed = 0;
  let oldest = began;
  const attempt = async (row: Row) => {
    try {
      await handle(row);
    } catch (error) {
      failed += 1;
      run.onFailure?.(error);
    }
  };
  for (let shard = 0; shard < index.shards; shard += 1) {
    let after: string | undefined;
    do {
      if (run.remainingMilliseconds() < TABLE_LIMITS.sweepMarginMilliseconds) {
        return { due, failed, lateSeconds: seconds(began - oldest), finished: false };
      }
      // Eventually consistent, at half the price. A row that this read misses is still due at the next sweep, and
      // `handle` is idempotent.
      const options = { limit: TABLE_LIMITS.sweepPage, ...(after === undefined ? {} : { after }) };
      const page = await table.query(index, index.span(shard, began), options);
      const rows = page.rows.map(({ item }) => item);
      for (const row of rows) oldest = Math.min(oldest, dueAt(row));
      await mapConcurrently(rows, attempt);
      due += rows.length;
      after = page.lastRead;
    } while (after !== undefined);
  }
  return { due, failed, lateSeconds: seconds(began - oldest), finished: true };
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);
