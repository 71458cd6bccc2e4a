/**
 * §6 Bulkhead: limits how many concurrent calls of a queue's function one organization or one receiver can hold.
 * Without this limit, slow receivers or large files of one organization would hold all calls.
 */
import { callSlots, type SharedWork, type SlotsKey } from '#shared/model/call-slots.ts';
import type { Services } from '#shared/services.ts';

export type LeaseServices = Pick<Services, 'table' | 'now'>;
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
  /** How long a call may hold a slot: longer than the longest call takes. */
  readonly leaseMilliseconds: number;
  /**
   * Longest wait for a slot, by how often the message has already waited. The last value applies to all later rounds.
   */
  readonly overCapSeconds: readonly number[];
}

/** Who needs a slot: an organization, and one of its receivers if the work sends requests. */
export interface SlotHolder {
  readonly organizationId: string;
  readonly hookId?: string;
}

/** The slots of one call. All its deliveries to one organization share a slot, and so do those to one receiver. */
export class CallSlots {
  readonly #held = new Map<string, Held>();
  readonly #caps: Caps;

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  /**
   * How long a message waits for its next try. Exponential backoff with jitter: a long queue of one organization stays
   * cheap and does not return all at once.
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

/** Gives each of the concurrent calls in one process its own slots. */
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
    slot = slots.find((other) => !tried.has(other) && (leased.existing?.[other] ?? 0) <= at);
  }
  return undefined;
}

const KEPT_SECONDS = 24 * 3600;

/** Ends a lease, unless it has expired, because another call may hold the slot by now. */
async function release({ table }: LeaseServices, key: SlotsKey, { lease }: Held): Promise<void> {
  const leased = await lease.catch(() => undefined);
  if (leased)
    await table.update(callSlots, key, { remove: [leased.slot] }, { path: leased.slot, equals: leased.until });
}
