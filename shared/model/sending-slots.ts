/**
 * Leases that limit concurrent calls of the sender per organization and per webhook. A lease expires by itself if its function
 * was killed.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';

export interface SlotsKey {
  readonly organizationId: string;
  /** The webhook, `null` for the limit of the whole organization. */
  readonly hookId: string | null;
}

interface SendingSlots extends SlotsKey {
  /** Maps each slot to the end of its lease, in milliseconds. */
  readonly [slot: `slot${number}`]: number | undefined;
  /** The expiry in seconds, for DynamoDB's TTL. */
  readonly expiresAt: number;
}

export const sendingSlots: Entity<SlotsKey, SendingSlots> = {
  type: 'sending slots',
  guarded: false,
  removal: 'apart',
  patterns: [
    { question: 'Sender calls of an organization', key: 'pk = SENDING#org, sk = ORGANIZATION' },
    { question: 'Sender calls of a webhook', key: 'pk = SENDING#org, sk = WEBHOOK#hook' },
  ],
  key: ({ organizationId, hookId }) => ({
    pk: composed('SENDING', organizationId),
    sk: hookId === null ? 'ORGANIZATION' : composed('WEBHOOK', hookId),
  }),
  store: (slots) => ({ ...slots }),
  load: (row) => stored<SendingSlots>(row),
};
