/**
 * §3, §6 Scheduled work: a sparse, sharded index by due time. Each row is a pointer. Access pattern: due rows, oldest
 * first.
 */
import type { Entity, Span } from '#shared/engine/table/entity.ts';
import { composed, digest, instantKey } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';

interface Due {
  /** Milliseconds. */
  readonly dueAt: number;
  readonly organizationId: string;
}

/** The next check whether a run has timed out. */
export interface DueRun extends Due {
  readonly runId: string;
}

/** A delivery attempt that is later than a queue can delay. */
export interface DueDelivery extends Due {
  readonly hookId: string;
  readonly deliveryId: string;
  readonly attempt: number;
}

/** Remaining rows and files of a deleted run. */
export interface DueDeletion extends Due {
  readonly runId: string;
}

export const DUE_SHARDS = 8;

export interface DueIndex<Row extends Due> extends Entity<Row, Row> {
  /** Rows due before `until`, in milliseconds. */
  readonly shards: number;
  readonly span: (shard: number, until: number) => Span;
}

function dueIndex<Row extends Due>(kind: string, question: string, idOf: (row: Row) => string): DueIndex<Row> {
  const partition = (shard: number): string => composed('DUE', kind, String(shard));
  return {
    type: `due ${kind}`,
    guarded: false,
    patterns: [{ question, key: `pk = DUE#${kind}#shard, sk = dueAt#org#id` }],
    key: (row) => ({
      pk: partition(Number.parseInt(digest(4, idOf(row)), 16) % DUE_SHARDS),
      sk: composed(instantKey(row.dueAt), row.organizationId, idOf(row)),
    }),
    store: (row) => Object.fromEntries(Object.entries(row)),
    load: (row) => stored<Row>(row),
    shards: DUE_SHARDS,
    span: (shard, until) => ({ pk: partition(shard), from: instantKey(0), to: instantKey(until) }),
  };
}

export const dueRuns = dueIndex<DueRun>('run', 'Runs that may have timed out', ({ runId }) => runId);
export const dueDeliveries = dueIndex<DueDelivery>(
  'delivery',
  'Deliveries to be attempted again',
  ({ deliveryId }) => deliveryId,
);
export const dueDeletions = dueIndex<DueDeletion>('deletion', 'Deleted runs with rows left', ({ runId }) => runId);
