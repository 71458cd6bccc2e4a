/**
 * §6 Bulkhead: limits how many concurrent calls (invocations) of a queue's function can work for one organization or
 * one receiver. Without this limit, slow receivers or large files of one organization would occupy all calls.
 */
import { callSlots, type SharedWork, type SlotsKey } from '#shared/model/call-slots.ts';
import type { WithClock } from '#shared/services.ts';

export type LeaseServices = WithClock;
type Slot = `slot${number}`;

interface Lease {
  readonly slot: Slot;
  readonly until: number;
}

interface Held {
  users: number;
  readonly lease: Promise<Lease | undefined>;
}

/** Concurrency limits of one kind of work. */
export interface Caps {
  readonly work: SharedWork;
  readonly callsPerOrganization: number;
  /** The limit per receiver, for work that sends requests. */
  readonly callsPerReceiver?: number;
  /** How long a call may hold a slot. This must be longer than the longest call takes. */
  readonly leaseMilliseconds: number;
  /**
   * The longest wait for a slot, indexed by the number of times that the message has already waited. The last value
   * applies to all further waits.
   */
  readonly overCapSeconds: readonly number[];
}

/** Who needs a slot: an organization, and one of its receivers if the work sends requests. */
export interface SlotHolder {
  readonly organizationId: string;
  readonly hookId?: string;
}

/**
 * The slots that one call holds. All work of the call for the same organization shares one slot, and all its deliveries
 * to the same receiver share another one.
 */
export class CallSlots {
  readonly #held = new Map<string, Held>();
  readonly #caps: Caps;

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  /**
   * How long a message waits for its next try. Exponential backoff with jitter limits the cost of retries if one
   * organization has many messages, and keeps the messages from returning all at once.
   */
  waitSeconds(rounds: number): number {
    const { overCapSeconds } = this.#caps;
    return 1 + Math.floor(Math.random() * (overCapSeconds[rounds] ?? overCapSeconds.at(-1) ?? 1));
  }

  /**
   * Runs `act` while holding the slots. Returns `undefined` without running it if the organization or the receiver has
   * no free slot.
   */
  async withSlot<Result extends object>(
    services: LeaseServices,
    { organizationId, hookId }: SlotHolder,
    act: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const { work, callsPerOrganization, callsPerReceiver } = this.#caps;
    const inReceiver = () =>
      hookId === undefined || callsPerReceiver === undefined
        ? act()
        : this.#withSlot(services, { work, organizationId, hookId }, callsPerReceiver, act);
    return this.#withSlot(services, { work, organizationId, hookId: null }, callsPerOrganization, inReceiver);
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

/** Keeps separate slots for each of the concurrent calls in one process. */
export class CallSlotsByCall {
  readonly #calls = new WeakMap<object, CallSlots>();
  readonly #caps: Caps;

  constructor(caps: Caps) {
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
    const leased = await table.update(callSlots, key, { set }, isFree);
    if (leased.done) return { slot, until };
    slot = slots.find((other) => !tried.has(other) && (leased.item?.[other] ?? 0) <= at);
  }
  return undefined;
}

const KEPT_SECONDS = 24 * 3600;

/** Releases a slot. Changes nothing if the lease expired and another call has acquired the slot since. */
async function release({ table }: LeaseServices, key: SlotsKey, { lease }: Held): Promise<void> {
  const leased = await lease.catch(() => undefined);
  if (leased)
    await table.update(callSlots, key, { remove: [leased.slot] }, { path: leased.slot, equals: leased.until });
}
