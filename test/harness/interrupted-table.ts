/** Wraps the real services, so that a test can make calls fail, run other work between them, or count them. */

import type { Table } from '#shared/engine/table/table.ts';
import type { CoreServices } from '#shared/services.ts';

type Call = {
  readonly method: string;
  readonly given: readonly unknown[];
  readonly make: (...given: unknown[]) => unknown;
};

/** Intercepts all method calls of an object. */
function intercepted<Target extends object>(target: Target, on: (call: Call) => unknown): Target {
  return new Proxy(target, {
    get: (_, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      const make = (...given: unknown[]): unknown => Reflect.apply(member, target, given);
      return (...given: unknown[]) => on({ method: String(name), given, make });
    },
  });
}

/** Calls `before` with the method name before each call to the table. If `before` throws, the call fails. */
const watched = (table: Table, before: (method: string) => Promise<void>): Table =>
  intercepted(table, async ({ method, given, make }) => {
    await before(method);
    return make(...given);
  });

/** The services that can write. `WRITES` contains the names of their methods that write. */
const WRITERS = new Set<PropertyKey>(['table', 'artifacts', 'queue', 'notifications', 'bus']);
const WRITES = new Set([
  'put',
  'update',
  'transact',
  'writeMany',
  'copy',
  'putInPieces',
  'remove',
  'store',
  'send',
  'publish',
]);

export interface Mortal<Services> {
  readonly services: Services;
  readonly hasDied: () => boolean;
  /** The number of writes so far. */
  readonly writes: () => number;
  /** Resolves when no call is in progress. Calls may still finish after the simulated process has died. */
  readonly settled: () => Promise<void>;
}

/**
 * Simulates a crash: after this many writes to the table, the files, the queues or the bus, the next write fails, and
 * so does every later call to them. A transaction counts as one write. Any other list of rows or messages counts as one
 * write per element, because AWS may store only part of such a list.
 */
export function mortal<Services extends object>(services: Services, writes: number): Mortal<Services> {
  let made = 0;
  let hasDied = false;
  const inProgress = new Set<Promise<unknown>>();
  const die = (): never => {
    hasDied = true;
    throw new Error('The process has died');
  };
  const callOf = async ({ method, given, make }: Call): Promise<unknown> => {
    if (hasDied) die();
    if (!WRITES.has(method)) return make(...given);
    const [first, ...rest] = given;
    const parts = Array.isArray(first) && method !== 'transact' ? first.length : 1;
    const left = writes - made;
    made += Math.min(parts, left);
    if (parts <= left) return make(...given);
    hasDied = true;
    if (Array.isArray(first) && left > 0 && method !== 'transact') await make(first.slice(0, left), ...rest);
    return die();
  };
  const track = (call: Call) => {
    const running = callOf(call);
    inProgress.add(running);
    const ends = () => void inProgress.delete(running);
    running.then(ends, ends);
    return running;
  };
  const wrapped = new Map<unknown, object>();
  return {
    services: new Proxy(services, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (!WRITERS.has(name) || typeof member !== 'object' || member === null) return member;
        const known = wrapped.get(member) ?? intercepted(member, track);
        wrapped.set(member, known);
        return known;
      },
    }),
    hasDied: () => hasDied,
    writes: () => made,
    settled: async () => {
      while (inProgress.size > 0) await Promise.allSettled(inProgress);
    },
  };
}

/**
 * Simulates a table that refuses all writes after this many writes. A call that writes several rows counts as one
 * write. Unlike after a crash, reads still work, so a scheduled function can report its failures.
 */
export function dyingAfter<Services extends CoreServices>(services: Services, writes: number): Services {
  let left = writes;
  const table = watched(services.table, async (method) => {
    if (!WRITES.has(method)) return;
    if (left === 0) throw new Error('The process has died');
    left -= 1;
  });
  return { ...services, table };
}

/**
 * Makes queries return short pages. DynamoDB ends a page after 1 MB, so code must not mistake the first page for all
 * rows. Tests have too few rows to reveal this mistake without this function.
 */
export function inPagesOf<Services extends CoreServices>(services: Services, rows: number): Services {
  const table = intercepted(services.table, ({ method, given: [entity, span, options], make }) => {
    if (method !== 'query') return make(entity, span, options);
    const asked: { limit?: number } = typeof options === 'object' && options !== null ? options : {};
    return make(entity, span, { ...asked, limit: Math.min(asked.limit ?? rows, rows) });
  });
  return { ...services, table };
}

/** Simulates contention: after the first `before` transactions, the next `others` are cancelled without effect. */
export function collidingWith<Services extends CoreServices>(services: Services, others: number, before = 0): Services {
  let number = 0;
  const transact: Table['transact'] = async (writes) => {
    number += 1;
    return number > before && number <= before + others ? false : services.table.transact(writes);
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

/** Runs an action before the table call with this number, counted from 0. `happened` says whether the action ran. */
export function interruptedAt(services: CoreServices, call: number, act: () => Promise<unknown>) {
  let calls = 0;
  const table = watched(services.table, async () => {
    calls += 1;
    if (calls === call + 1) await act();
  });
  return { services: { ...services, table }, happened: () => calls > call };
}

/**
 * Counts sequential rounds of calls: the calls of a round start together, and the next round starts after they have
 * ended. The result is the number of round trips that an operation has to wait for.
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
  // Waits, because the operation may still start other calls that belong to this round.
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
