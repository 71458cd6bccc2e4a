/** Leases that limit a queue function's concurrent calls per organization and receiver. After a kill, they expire. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

/** The kinds of work for which the number of concurrent calls is limited per organization. */
export type SharedWork = 'webhooks' | 'notifications' | 'traces' | 'reports';

export interface SlotsKey {
  readonly work: SharedWork;
  readonly organizationId: string;
  /** The id of the receiver, or `null` for the limit of the whole organization. */
  readonly hookId: string | null;
}

interface CallSlots extends SlotsKey {
  /** Maps each slot to the end of its lease, in epoch milliseconds. */
  readonly [slot: `slot${number}`]: number | undefined;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const callSlots: Entity<SlotsKey, CallSlots> = {
  type: 'call slots',
  guarded: false,
  removal: 'apart',
  patterns: [
    { question: 'Running calls of an organization for one kind of work', of: { work: '<work>', hookId: null } },
    { question: 'Running calls to one receiver', of: { work: '<work>' } },
  ],
  key: ({ work, organizationId, hookId }) => ({
    pk: composeKey('SLOTS', organizationId),
    sk: hookId === null ? work.toUpperCase() : composeKey(work.toUpperCase(), hookId),
  }),
  store: toAttributes,
  load: loadAttributes,
};
