/**
 * §6 Bulkhead: limits how many concurrent calls of a sender one organization or one receiver can hold. A call ends
 * with its slowest delivery. Without this limit, slow receivers of one organization would hold all calls.
 */

import { type SenderName, type SlotsKey, sendingSlots } from '#shared/model/sending-slots.ts';
import type { Services } from '#shared/services.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

type LeaseServices = Pick<Services, 'table' | 'now'>;
type Slot = `slot${number}`;

interface Lease {
  readonly slot: Slot;
  readonly until: number;
}

interface Held {
  users: number;
  readonly lease: Promise<Lease | undefined>;
}

/** The caps of one sender. */
export interface Caps {
  readonly sender: SenderName;
  readonly callsPerOrganization: number;
  readonly callsPerReceiver: number;
  /** Outlives the longest delivery. */
  readonly leaseMilliseconds: number;
}

const OF_WEBHOOKS: Caps = { ...WEBHOOK_LIMITS.sending, sender: 'webhooks' };

/** The slots of one call. All its deliveries to one organization share a slot, and so do those to one receiver. */
export class CallSlots {
  readonly #held = new Map<string, Held>();
  readonly #caps: Caps;

  constructor(caps: Caps = OF_WEBHOOKS) {
    this.#caps = caps;
  }

  /**
   * Calls `act` while it holds slots. Returns `undefined` without the call if the organization or the receiver has no
   * free slot.
   */
  async withSlot<Result extends object>(
    services: LeaseServices,
    { organizationId, hookId }: { readonly organizationId: string; readonly hookId: string },
    act: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const { sender, callsPerOrganization, callsPerReceiver } = this.#caps;
    const inReceiver = () => this.#withSlot(services, { sender, organizationId, hookId }, callsPerReceiver, act);
    return this.#withSlot(services, { sender, organizationId, hookId: null }, callsPerOrganization, inReceiver);
  }

  async #withSlot<Result>(
    services: LeaseServices,
    key: SlotsKey,
    atOnce: number,
    act: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const name = JSON.stringify(key);
    const held = this.#held.get(name) ?? { users: 0, lease: acquire(services, key, atOnce, this.#caps) };
    this.#held.set(name, held);
    held.users += 1;
    try {
      return (await held.lease) && (await act());
    } finally {
      held.users -= 1;
      if (held.users === 0) {
        this.#held.delete(name);
        await release(services, key, held);
      }
    }
  }
}

/** Keeps the slots of concurrent calls in one process apart. */
export class CallSlotsByCall {
  readonly #calls = new WeakMap<object, CallSlots>();
  readonly #caps: Caps;

  constructor(caps: Caps = OF_WEBHOOKS) {
    this.#caps = caps;
  }

  of(call: object): CallSlots {
    const found = this.#calls.get(call) ?? new CallSlots(this.#caps);
    this.#calls.set(call, found);
    return found;
  }
}

async function acquire(
  { table, now }: LeaseServices,
  key: SlotsKey,
  atOnce: number,
  { leaseMilliseconds }: Caps,
): Promise<Lease | undefined> {
  const at = now();
  const until = at + leaseMilliseconds;
  const slots = Array.from({ length: atOnce }, (_, number): Slot => `slot${number}`);
  // Starts at a random slot, so that concurrent calls do not compete for the first one.
  let slot = slots[Math.floor(Math.random() * atOnce)];
  const tried = new Set<Slot>();
  while (slot !== undefined && !tried.has(slot)) {
    tried.add(slot);
    const set = [[slot, until] as const, ['expiresAt', Math.ceil(until / 1000) + KEPT_SECONDS] as const];
    const isFree = { any: [{ absent: slot }, { path: slot, atMost: at }] };
    const leased = await table.update(sendingSlots, key, { set }, isFree);
    if (leased.done) return { slot, until };
    slot = slots.find((other) => !tried.has(other) && (leased.existing?.[other] ?? 0) <= at);
  }
  return undefined;
}

const KEPT_SECONDS = 24 * 3600;

/** Leaves a lease alone that has expired: another call may hold the slot now. */
async function release({ table }: LeaseServices, key: SlotsKey, { lease }: Held): Promise<void> {
  const leased = await lease.catch(() => undefined);
  if (leased)
    await table.update(sendingSlots, key, { remove: [leased.slot] }, { path: leased.slot, equals: leased.until });
}
