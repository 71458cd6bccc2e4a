/**
 * §6 Bulkhead: limits how many concurrent calls of the sender one organization or one webhook can hold. A call ends
 * with its slowest delivery. Without this limit, slow receivers of one organization would hold all calls.
 */

import { type SlotsKey, sendingSlots } from '#shared/model/sending-slots.ts';
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

const { callsPerOrganization, callsPerWebhook, leaseMilliseconds } = WEBHOOK_LIMITS.sending;

/** The slots of one call. All its deliveries to one organization share a slot, and so do those to one webhook. */
export class CallSlots {
  readonly #held = new Map<string, Held>();

  /**
   * Calls `act` while it holds slots. Returns `undefined` without the call if the organization or the webhook has no
   * free slot.
   */
  async withSlot<Result extends object>(
    services: LeaseServices,
    { organizationId, hookId }: { readonly organizationId: string; readonly hookId: string },
    act: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const inWebhook = () => this.#withSlot(services, { organizationId, hookId }, callsPerWebhook, act);
    return this.#withSlot(services, { organizationId, hookId: null }, callsPerOrganization, inWebhook);
  }

  async #withSlot<Result>(
    services: LeaseServices,
    key: SlotsKey,
    atOnce: number,
    act: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const name = JSON.stringify(key);
    const held = this.#held.get(name) ?? { users: 0, lease: acquire(services, key, atOnce) };
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

  of(call: object): CallSlots {
    const found = this.#calls.get(call) ?? new CallSlots();
    this.#calls.set(call, found);
    return found;
  }
}

async function acquire({ table, now }: LeaseServices, key: SlotsKey, atOnce: number): Promise<Lease | undefined> {
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
