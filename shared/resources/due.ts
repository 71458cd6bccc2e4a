/**
 * §3 and §6 What has to be looked at when its time has come: a sparse index by time, in shards. Each row is a pointer. Asked
 * for: what is due, oldest first.
 */
import type { Entity, Span } from '../table/entity.ts';
import { composed, digest, instantKey } from '../table/keys.ts';
import { stored } from '../table/stored.ts';

interface Due {
  /** Milliseconds. */
  readonly dueAt: number;
  readonly organizationId: string;
}

/** A run that times out then, unless something was reported meanwhile. */
export interface DueRun extends Due {
  readonly runId: string;
}

/** An attempt to deliver that is more than a queue can delay. */
export interface DueDelivery extends Due {
  readonly hookId: string;
  readonly deliveryId: string;
  readonly attempt: number;
}

/** What a deleted run left to be deleted. */
export interface DueDeletion extends Due {
  readonly runId: string;
}

export const DUE_SHARDS = 8;

export interface DueIndex<Row extends Due> extends Entity<Row, Row> {
  /** Due before `until`, in milliseconds. */
  readonly span: (shard: number, until: number) => Span;
}

function dueIndex<Row extends Due>(kind: string, question: string, idOf: (row: Row) => string): DueIndex<Row> {
  const partition = (shard: number): string => composed('DUE', kind, String(shard));
  return {
    type: `due ${kind}`,
    patterns: [{ question, key: `pk = DUE#${kind}#shard, sk = dueAt#org#id` }],
    key: (row) => ({
      pk: partition(Number.parseInt(digest(4, idOf(row)), 16) % DUE_SHARDS),
      sk: composed(instantKey(row.dueAt), row.organizationId, idOf(row)),
    }),
    store: (row) => Object.fromEntries(Object.entries(row)),
    load: (row) => stored<Row>(row),
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
