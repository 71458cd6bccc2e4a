/** The real table, with something that happens in the midst of what is done to it. */
import type { Administration } from '#shared/services.ts';
import type { Table } from '#shared/table/table.ts';

/** Says before each call of the table's what it is: `transact`, `query` ... What it throws, the call throws. */
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

/** As if the process died: after this many writes there are no more. */
export function dyingAfter<Services extends Administration>(services: Services, writes: number): Services {
  let left = writes;
  const table = watched(services.table, async (method) => {
    if (!WRITES.includes(method)) return;
    if (left === 0) throw new Error('The process has died');
    left -= 1;
  });
  return { ...services, table };
}

/** As if others were at the same items at that moment: the first transactions are refused, without a trace. */
export function collidingWith<Services extends Administration>(services: Services, others: number): Services {
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

/** Something that others do between what a verb read and what it writes: the first transaction waits until it is over. */
export function interrupted<Services extends Administration>(
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

/** Has something happen right before one call of the table, the first being 0. `happened` tells whether it came to that. */
export function interruptedAt(services: Administration, call: number, act: () => Promise<unknown>) {
  let calls = 0;
  const table = watched(services.table, async () => {
    calls += 1;
    if (calls === call + 1) await act();
  });
  return { services: { ...services, table }, happened: () => calls > call };
}
