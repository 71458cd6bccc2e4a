/** Goes through what is due, in bounded batches, until the time is up. What cannot be done stays due, and costs the rest nothing. */
import { mapConcurrently } from './concurrently.ts';
import { LIMITS } from './limits.ts';
import { DUE_SHARDS } from './resources/due.ts';
import type { Administration } from './services.ts';
import type { Entity, Span } from './table/entity.ts';

export interface Sweep {
  /** Rows that were looked at. */
  readonly due: number;
  readonly failed: number;
  /** Of the oldest row that was due, in seconds: how late the work is. */
  readonly lateSeconds: number;
  readonly finished: boolean;
}

interface Run {
  /** The sweep stops in time before this is 0. */
  readonly remainingMilliseconds: () => number;
  readonly onFailure?: (error: unknown) => void;
}

interface Index<Row extends object> extends Pick<Entity<object, Row>, 'load'> {
  readonly span: (shard: number, until: number) => Span;
}

/** `handle` takes the row away, or moves it. It may be called again for a row that was done, and at the same time elsewhere. */
export async function sweep<Row extends object>(
  { table, now }: Pick<Administration, 'table' | 'now'>,
  run: Run,
  index: Index<Row>,
  { dueAt, handle }: { dueAt: (row: Row) => number; handle: (row: Row) => Promise<void> },
): Promise<Sweep> {
  const began = now();
  let [due, failed, oldest] = [0, 0, began];
  const attempt = async (row: Row) => {
    try {
      await handle(row);
    } catch (error) {
      failed += 1;
      run.onFailure?.(error);
    }
  };
  for (let shard = 0; shard < DUE_SHARDS; shard += 1) {
    let after: string | undefined;
    do {
      if (run.remainingMilliseconds() < LIMITS.sweepMarginMilliseconds) {
        return { due, failed, lateSeconds: seconds(began - oldest), finished: false };
      }
      const options = { limit: LIMITS.sweepPage, consistent: true, ...(after === undefined ? {} : { after }) };
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
