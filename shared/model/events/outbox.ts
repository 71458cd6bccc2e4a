/**
 * The transactional outbox: messages written in the same transaction as the change they report. The relay sends and
 * removes them. Rows of one run share a shard and stay in order. Access pattern: pending rows, oldest first.
 */
import type { Entity, Span } from '#shared/engine/table/entity.ts';
import { composed, digest, instantKey } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';
import { contentOf, type OutboxContent, type Packed, packed } from './outbox-content.ts';

export interface OutboxRow {
  readonly shard: number;
  /** Time of the state change, in epoch milliseconds. */
  readonly at: number;
  readonly outboxId: string;
  readonly content: OutboxContent;
}

type OutboxKey = Omit<OutboxRow, 'content'>;

/** The outbox is sharded, because one partition accepts only 1,000 writes per second. The sweeper lists each shard. */
export const OUTBOX_SHARDS = 8;

/**
 * Assigns an outbox row to its shard. `about` identifies the run, webhook or notification whose messages must stay in
 * order.
 */
export const outboxRow = (about: string, row: Omit<OutboxRow, 'shard'>): OutboxRow => ({
  ...row,
  shard: Number.parseInt(digest(4, about), 16) % OUTBOX_SHARDS,
});

const PARTITION = 'OUTBOX';
const partition = (shard: number): string => composed(PARTITION, String(shard));

/** The key prefix by which the table stream selects rows for the relay. */
export const OUTBOX_PREFIX = `${PARTITION}#`;

export const outbox: Entity<OutboxKey, OutboxRow> = {
  type: 'outbox',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Pending outbox rows, oldest first', key: 'pk = OUTBOX#shard, sk = at#id' }],
  key: ({ shard, at, outboxId }) => ({ pk: partition(shard), sk: composed(instantKey(at), outboxId) }),
  store: ({ content, ...key }) => ({ ...key, packed: packed(content) }),
  load: (row) => {
    const { packed, ...key } = stored<OutboxKey & Packed>(row);
    return { ...key, content: contentOf(packed) };
  },
};

/** Rows written before `until`, in epoch milliseconds. */
export const outboxSpan = (shard: number, until: number): Span => ({
  pk: partition(shard),
  from: instantKey(0),
  to: instantKey(until),
});
