/**
 * Leases that limit concurrent calls of the senders per organization and per receiver. A lease expires by itself if its function
 * was killed.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';

/** Webhooks and notices have a sender each. */
export type SenderName = 'webhooks' | 'notices';

export interface SlotsKey {
  readonly sender: SenderName;
  readonly organizationId: string;
  /** The receiver, `null` for the limit of the whole organization. */
  readonly hookId: string | null;
}

interface SendingSlots extends SlotsKey {
  /** Maps each slot to the end of its lease, in milliseconds. */
  readonly [slot: `slot${number}`]: number | undefined;
  /** The expiry in seconds, for DynamoDB's TTL. */
  readonly expiresAt: number;
}

const NAMES = {
  webhooks: { all: 'ORGANIZATION', one: 'WEBHOOK' },
  notices: { all: 'NOTICES', one: 'NOTICE' },
} as const;

export const sendingSlots: Entity<SlotsKey, SendingSlots> = {
  type: 'sending slots',
  guarded: false,
  removal: 'apart',
  patterns: [
    { question: 'Sender calls of an organization', key: 'pk = SENDING#org, sk = ORGANIZATION' },
    { question: 'Sender calls of a webhook', key: 'pk = SENDING#org, sk = WEBHOOK#hook' },
    { question: 'Sender calls for notices of an organization', key: 'pk = SENDING#org, sk = NOTICES' },
    { question: 'Sender calls for a notice', key: 'pk = SENDING#org, sk = NOTICE#hook' },
  ],
  key: ({ sender, organizationId, hookId }) => ({
    pk: composed('SENDING', organizationId),
    sk: hookId === null ? NAMES[sender].all : composed(NAMES[sender].one, hookId),
  }),
  store: (slots) => ({ ...slots }),
  load: (row) => stored<SendingSlots>(row),
};
