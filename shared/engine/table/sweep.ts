/** Processes due rows page by page until the time is up. A failed row stays due and does not block other rows. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { Entity, Span } from './entity.ts';
import { TABLE_LIMITS } from './limits.ts';
import type { WithTable } from './table.ts';

export interface Sweep {
  /** Rows that the sweep tried to handle, including those that failed. */
  readonly due: number;
  readonly failed: number;
  /** How long the oldest row has been due. */
  readonly lateSeconds: number;
  readonly finished: boolean;
}

/** How much time is left for work that stops before the time runs out. */
export interface Time {
  /** The time until Lambda kills the function, or until the request must respond. */
  readonly remainingMilliseconds: () => number;
  /** Called with an error that does not end the work. */
  readonly onFailure?: (error: unknown) => void;
}

/** An index whose rows say when they are due, in epoch milliseconds. */
interface Index<Row extends { readonly dueAt: number }> extends Pick<Entity<object, Row>, 'load'> {
  readonly shards: number;
  readonly span: (shard: number, until: number) => Span;
}

/**
 * Handles the due rows until none are left or the time is nearly up. `finished` says whether none were left. `handle`
 * removes or moves the row. It must be idempotent, because it may run again for the same row, even concurrently.
 */
export async function processDueRows<Row extends { readonly dueAt: number }>(
  { table, now }: WithTable & { readonly now: () => number },
  time: Time,
  index: Index<Row>,
  handle: (row: Row) => Promise<void>,
): Promise<Sweep> {
  const began = now();
  let due = 0;
  let failureCount = 0;
  let oldestDueAt = began;
  const attempt = async (row: Row) => {
    try {
      await handle(row);
    } catch (error) {
      failureCount += 1;
      time.onFailure?.(error);
    }
  };
  for (let shard = 0; shard < index.shards; shard += 1) {
    let after: string | undefined;
    do {
      if (time.remainingMilliseconds() < TABLE_LIMITS.sweepMarginMilliseconds) {
        return { due, failed: failureCount, lateSeconds: toSeconds(began - oldestDueAt), finished: false };
      }
      // This read is eventually consistent, which costs half as much. A row that it misses is still due at the next
      // sweep, and a row that it returns twice does no harm, because `handle` is idempotent.
      const page = await table.query(index, index.span(shard, began), { limit: TABLE_LIMITS.sweepPage, after });
      const rows = page.rows.map(({ item }) => item);
      for (const { dueAt } of rows) oldestDueAt = Math.min(oldestDueAt, dueAt);
      await mapConcurrently(rows, attempt);
      due += rows.length;
      after = page.lastRead;
    } while (after !== undefined);
  }
  return { due, failed: failureCount, lateSeconds: toSeconds(began - oldestDueAt), finished: true };
}

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);
