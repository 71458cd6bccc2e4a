/**
 * Events and jobs from the outbox that could not be sent although there was no outage. Each row contains one event or
 * job. It is retried with backoff, and parked if all retries fail. Parked rows are dead letters, which an operator has
 * to handle.
 */

import type { Entity, Span } from '#shared/engine/table/entity.ts';
import { composeKey, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import { OUTBOX_SHARDS } from './outbox.ts';
import { type OutboxContent, type PackedContent, packContent, unpackContent } from './outbox-content.ts';

export interface OutboxRetry {
  readonly shard: number;
  readonly retryId: string;
  /** The time of the next retry, or the time at which the row was parked, in epoch milliseconds. */
  readonly dueAt: number;
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

function makeOutboxRetryIndex(type: string, partition: string, question: string): OutboxRetryIndex {
  const pk = (shard: number): string => composeKey(partition, String(shard));
  return {
    type,
    guarded: false,
    removal: 'apart',
    patterns: [{ question, of: { retryId: 'id' } }],
    key: ({ shard, dueAt, retryId }) => ({ pk: pk(shard), sk: composeKey(encodeInstant(dueAt), retryId) }),
    store: ({ content, ...row }) => ({ ...row, packed: packContent(content) }),
    load: (row) => {
      const { packed, ...rest } = loadAttributes<Omit<OutboxRetry, 'content'> & PackedContent>(row);
      return { ...rest, content: unpackContent(packed) };
    },
    shards: OUTBOX_SHARDS,
    span: (shard, until) => ({ pk: pk(shard), from: encodeInstant(0), to: encodeInstant(until) }),
  };
}

export const outboxRetries = makeOutboxRetryIndex(
  'outbox retry',
  'ASIDE',
  'Failed outbox rows by the time of their next retry',
);
export const outboxParked = makeOutboxRetryIndex('parked outbox row', 'PARKED', 'Parked outbox rows, oldest first');
