/** The transactional outbox. The relay sends and removes messages. Rows of one run share a shard and stay in order. */
import type { Entity, Span } from '#shared/engine/table/entity.ts';
import { composeKey, computeDigest, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import { type OutboxContent, type PackedContent, packContent, unpackContent } from './outbox-content.ts';

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

/** `about`: the run, webhook or notification whose messages must stay in order. */
export const makeOutboxRow = (about: string, row: Omit<OutboxRow, 'shard'>): OutboxRow => ({
  ...row,
  shard: Number.parseInt(computeDigest(4, about), 16) % OUTBOX_SHARDS,
});

const PARTITION = 'OUTBOX';
const getPartition = (shard: number): string => composeKey(PARTITION, String(shard));

/** The key prefix by which the table stream selects rows for the relay. */
export const OUTBOX_PREFIX = `${PARTITION}#`;

export const outbox: Entity<OutboxKey, OutboxRow> = {
  type: 'outbox',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Pending outbox rows, oldest first', of: { outboxId: 'id' } }],
  key: ({ shard, at, outboxId }) => ({ pk: getPartition(shard), sk: composeKey(encodeInstant(at), outboxId) }),
  store: ({ content, ...key }) => ({ ...key, packed: packContent(content) }),
  load: (row) => {
    const { packed, ...key } = loadAttributes<OutboxKey & PackedContent>(row);
    return { ...key, content: unpackContent(packed) };
  },
};

/** Rows written before `until`, in epoch milliseconds. */
export const getOutboxSpan = (shard: number, until: number): Span => ({
  pk: getPartition(shard),
  from: encodeInstant(0),
  to: encodeInstant(until),
});
