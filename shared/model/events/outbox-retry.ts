/**
 * Events and jobs from outbox rows that failed although there was no outage, one per row. They are retried with
 * backoff, then parked. Parked rows are dead letters for an operator.
 */

import type { Entity, Span } from '#shared/engine/table/entity.ts';
import { composed, instantKey } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';
import { OUTBOX_SHARDS } from './outbox.ts';
import { contentOf, type OutboxContent, type Packed, packed } from './outbox-content.ts';

export interface OutboxRetry {
  readonly shard: number;
  readonly retryId: string;
  /** Time of the next retry or of parking, in epoch milliseconds. */
  readonly dueAt: number;
  /** The number of failed attempts. */
  readonly tries: number;
  /** The error of the latest attempt. */
  readonly reason: string;
  /** When the row was written to the outbox, in epoch milliseconds. */
  readonly at: number;
  readonly content: OutboxContent;
}

type OutboxRetryKey = Pick<OutboxRetry, 'shard' | 'retryId' | 'dueAt'>;

interface OutboxRetryIndex extends Entity<OutboxRetryKey, OutboxRetry> {
  readonly shards: number;
  /** Rows due before `until`, in epoch milliseconds. */
  readonly span: (shard: number, until: number) => Span;
}

function outboxRetryIndex(type: string, partition: string, question: string): OutboxRetryIndex {
  const pk = (shard: number): string => composed(partition, String(shard));
  return {
    type,
    guarded: false,
    removal: 'apart',
    patterns: [{ question, key: `pk = ${partition}#shard, sk = dueAt#id` }],
    key: ({ shard, dueAt, retryId }) => ({ pk: pk(shard), sk: composed(instantKey(dueAt), retryId) }),
    store: ({ content, ...row }) => ({ ...row, packed: packed(content) }),
    load: (row) => {
      const { packed, ...rest } = stored<Omit<OutboxRetry, 'content'> & Packed>(row);
      return { ...rest, content: contentOf(packed) };
    },
    shards: OUTBOX_SHARDS,
    span: (shard, until) => ({ pk: pk(shard), from: instantKey(0), to: instantKey(until) }),
  };
}

export const outboxRetries = outboxRetryIndex(
  'outbox retry',
  'ASIDE',
  'Failed outbox rows by the time of their next retry',
);
export const outboxParked = outboxRetryIndex('parked outbox row', 'PARKED', 'Parked outbox rows, oldest first');
