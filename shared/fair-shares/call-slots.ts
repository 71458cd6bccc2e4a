/**
 * §6 Bulkhead: limits how many concurrent calls (invocations) of a queue's function can work for one organization or
 * one receiver. Without this limit, slow receivers or large files of one organization would occupy all calls.
 */

import { DAY_SECONDS } from '#shared/engine/durations.ts';
import { callSlots, type SharedWork, type SlotsKey } from '#shared/model/call-slots.ts';
import type { WithClock } from '#shared/services.ts';
import type { CallShare } from './call-share.ts';

export type LeaseServices = WithClock;
type Slot = `slot${number}`;

interface Lease {
  readonly slot: Slot;
  readonly until: number;
}

interface HeldSlot {
  users: number;
  readonly lease: Promise<Lease | undefined>;
}

export interface Caps {
  readonly work: SharedWork;
  /** The least number of concurrent calls that an organization may occupy. `CallShare` allows more. */
  readonly callsPerOrganization: number;
  /** The limit per receiver, for work that sends requests. */
  readonly callsPerReceiver?: number;
  /** Must be longer than the longest call takes. */
  readonly leaseMilliseconds: number;
  /** By the number of times that the message has already waited. The last value applies to all further waits. */
  readonly overCapSeconds: readonly number[];
}

/** An organization, and one of its receivers if the work sends requests. */
export interface SlotHolder {
  readonly organizationId: string;
  readonly hookId?: string;
}

/** Work of one call for the same organization shares a slot, and its deliveries to one receiver share another. */
export class CallSlots {
  readonly #held = new Map<string, HeldSlot>();
  readonly #caps: Caps;
  readonly #share: CallShare | undefined;

  constructor(caps: Caps, share?: CallShare) {
    this.#caps = caps;
    this.#share = share;
  }

  /** Backoff with jitter limits the cost of retries of many messages, and keeps them from returning all at once. */
  waitSeconds(rounds: number): number {
    const { overCapSeconds } = this.#caps;
    return 1 + Math.floor(Math.random() * (overCapSeconds[rounds] ?? overCapSeconds.at(-1) ?? 1));
  }

  /** Returns `undefined` without running `act` if the organization or the receiver has no free slot. */
  async withSlot<Result extends object>(
    services: LeaseServices,
    { organizationId, hookId }: SlotHolder,
    act: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const { work, callsPerOrganization, callsPerReceiver } = this.#caps;
    const calls = (await this.#share?.countCalls(services, callsPerOrganization)) ?? callsPerOrganization;
    const inReceiver = () =>
      hookId === undefined || callsPerReceiver === undefined
        ? act()
        : this.#withSlot(services, { work, organizationId, hookId }, callsPerReceiver, act);
    // The concurrency of the function bounds the calls of the only organization, so these need no leases.
    if (calls === Number.POSITIVE_INFINITY) return inReceiver();
    return this.#withSlot(services, { work, organizationId, hookId: null }, calls, inReceiver);
  }

  async #withSlot<Result>(
    services: LeaseServices,
    key: SlotsKey,
    atOnce: number,
    act: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const name = JSON.stringify(key);
    const heldSlot = this.#held.get(name) ?? { users: 0, lease: acquireLease(services, key, atOnce, this.#caps) };
    this.#held.set(name, heldSlot);
    heldSlot.users += 1;
    try {
      return (await heldSlot.lease) && (await act());
    } finally {
      heldSlot.users -= 1;
      if (heldSlot.users === 0) {
        this.#held.delete(name);
        await releaseLease(services, key, heldSlot);
      }
    }
  }
}

/** Keeps separate slots for each of the concurrent calls in one process. */
export class CallSlotsByCall {
  readonly #calls = new WeakMap<object, CallSlots>();
  readonly #caps: Caps;
  readonly #getShare: () => CallShare;

  constructor(caps: Caps, getShare: () => CallShare) {
    this.#caps = caps;
    this.#getShare = getShare;
  }

  of(call: object): CallSlots {
    const slots = this.#calls.get(call) ?? new CallSlots(this.#caps, this.#getShare());
    this.#calls.set(call, slots);
    return slots;
  }
}

async function acquireLease(
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
  const triedSlots = new Set<Slot>();
  while (slot !== undefined && !triedSlots.has(slot)) {
    triedSlots.add(slot);
    const set = [[slot, until] as const, ['expiresAt', Math.ceil(until / 1000) + KEPT_SECONDS] as const];
    const isFree = { any: [{ absent: slot }, { path: slot, atMost: at }] };
    const outcome = await table.update(callSlots, key, { set }, isFree);
    if (outcome.done) return { slot, until };
    slot = slots.find((other) => !triedSlots.has(other) && (outcome.item?.[other] ?? 0) <= at);
  }
  return undefined;
}

const KEPT_SECONDS = DAY_SECONDS;

/** Changes nothing if the lease expired and another call has acquired the slot since. */
async function releaseLease({ table }: LeaseServices, key: SlotsKey, { lease }: HeldSlot): Promise<void> {
  const heldLease = await lease.catch(() => undefined);
  if (heldLease)
    await table.update(callSlots, key, { remove: [heldLease.slot] }, { path: heldLease.slot, equals: heldLease.until });
}
