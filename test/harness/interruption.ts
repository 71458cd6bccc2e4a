/** Something that others do between what a verb read and what it writes: the moment that a test cannot hit by chance. */
import type { Administration } from '#shared/services.ts';
import type { Table } from '#shared/table/table.ts';

/** The same services, on the same table, whose first transaction waits until `happens` is over. */
export function interrupted<Services extends Administration>(
  services: Services,
  happens: () => Promise<unknown>,
): Services {
  let isFirst = true;
  const transact: Table['transact'] = async (writes) => {
    if (isFirst) {
      isFirst = false;
      await happens();
    }
    return services.table.transact(writes);
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
