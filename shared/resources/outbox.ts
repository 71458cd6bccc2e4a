/**
 * What is to leave the service, written in the transaction of the change that it tells of. A relay sends it and takes it
 * away. Asked for: what is there still, oldest first, to be sent again. Rows of one run share a shard, in order.
 */
import type { Entity, Span } from '../table/entity.ts';
import { composed, digest, instantKey } from '../table/keys.ts';
import { pack, unpack } from '../table/packed.ts';
import { stored } from '../table/stored.ts';
import type { RunEvent } from './run-event.ts';

/** Work for the sender: one attempt to deliver. `attempt` is zero-based; a message about another than the next is stale. */
export interface DeliveryOrder {
  readonly organizationId: string;
  readonly hookId: string;
  readonly deliveryId: string;
  readonly attempt: number;
}

export type OutboxContent =
  | { readonly kind: 'events'; readonly events: readonly RunEvent[] }
  | { readonly kind: 'delivery'; readonly order: DeliveryOrder };

export interface OutboxRow {
  readonly shard: number;
  /** Milliseconds. */
  readonly at: number;
  readonly outboxId: string;
  readonly content: OutboxContent;
}

type OutboxKey = Omit<OutboxRow, 'content'>;

/** One partition takes 1,000 writes a second, and one list of what is left is read per shard. */
export const OUTBOX_SHARDS = 8;

/** `about`: the run or webhook whose messages stay in order. */
export const outboxRow = (about: string, row: Omit<OutboxRow, 'shard'>): OutboxRow => ({
  ...row,
  shard: Number.parseInt(digest(4, about), 16) % OUTBOX_SHARDS,
});

const PARTITION = 'OUTBOX';
const partition = (shard: number): string => composed(PARTITION, String(shard));

/** How keys of rows begin that the relay is told of. */
export const OUTBOX_PREFIX = `${PARTITION}#`;

export const outbox: Entity<OutboxKey, OutboxRow> = {
  type: 'outbox',
  patterns: [{ question: 'What is to be sent still, oldest first', key: 'pk = OUTBOX#shard, sk = at#id' }],
  key: ({ shard, at, outboxId }) => ({ pk: partition(shard), sk: composed(instantKey(at), outboxId) }),
  store: ({ content, ...key }) => ({ ...key, packed: pack(content) }),
  load: (row) => {
    const { packed, ...key } = stored<OutboxKey & { readonly packed: Uint8Array }>(row);
    return { ...key, content: unpack<OutboxContent>(packed) };
  },
};

/** Written before `until`, in milliseconds. */
export const outboxSpan = (shard: number, until: number): Span => ({
  pk: partition(shard),
  from: instantKey(0),
  to: instantKey(until),
});
