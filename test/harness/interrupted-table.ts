/** The real table with an action injected into its calls. */

import type { Table } from '#shared/engine/table/table.ts';
import type { CoreServices } from '#shared/services.ts';

/** Runs before each call, with its name: `transact`, `query` ... An error fails the call. */
function watched(table: Table, before: (method: string) => Promise<void>): Table {
  return new Proxy(table, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]) => {
        await before(String(name));
        return Reflect.apply(member, target, given);
      };
    },
  });
}

const WRITES = ['put', 'update', 'transact', 'writeMany'];

/** Simulates a crash: after this many writes, all fail. */
export function dyingAfter<Services extends CoreServices>(services: Services, writes: number): Services {
  let left = writes;
  const table = watched(services.table, async (method) => {
    if (!WRITES.includes(method)) return;
    if (left === 0) throw new Error('The process has died');
    left -= 1;
  });
  return { ...services, table };
}

/** Simulates contention: the first transactions are cancelled without an effect. */
export function collidingWith<Services extends CoreServices>(services: Services, others: number): Services {
  let left = others;
  const transact: Table['transact'] = async (writes) => {
    left -= 1;
    return left >= 0 ? false : services.table.transact(writes);
  };
  const table = new Proxy(services.table, {
    get: (target, name) => {
      if (name === 'transact') return transact;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { ...services, table };
}

/** Runs a concurrent change between the reads and the first transaction of an operation. */
export function interrupted<Services extends CoreServices>(
  services: Services,
  happens: () => Promise<unknown>,
): Services {
  let isFirst = true;
  const table = watched(services.table, async (method) => {
    if (method !== 'transact' || !isFirst) return;
    isFirst = false;
    await happens();
  });
  return { ...services, table };
}

/** Runs an action before the call with this number, from 0. `happened` tells whether it ran. */
export function interruptedAt(services: CoreServices, call: number, act: () => Promise<unknown>) {
  let calls = 0;
  const table = watched(services.table, async () => {
    calls += 1;
    if (calls === call + 1) await act();
  });
  return { services: { ...services, table }, happened: () => calls > call };
}

/**
 * Counts rounds of calls: those of a round begin together, and the next round begins after they have ended. So an
 * operation takes as many rounds as calls of its longest chain wait for each other.
 */
export function inRounds<Services extends Pick<CoreServices, 'table'>>(services: Services) {
  const counted = { rounds: 0 };
  const waiting: (() => void)[] = [];
  let running = 0;
  const beginRound = () => {
    if (running > 0 || waiting.length === 0) return;
    counted.rounds += 1;
    for (const begin of waiting.splice(0)) begin();
  };
  // The caller may still begin other calls of this round.
  const soon = () => setImmediate(() => setImmediate(beginRound));
  const table = new Proxy(services.table, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]) => {
        await new Promise<void>((begin) => {
          waiting.push(begin);
          soon();
        });
        running += 1;
        try {
          return await Reflect.apply(member, target, given);
        } finally {
          running -= 1;
          soon();
        }
      };
    },
  });
  return { services: { ...services, table }, counted };
}
