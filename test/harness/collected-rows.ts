/** Makes the rows of several changes of a new organization, and stores them by one call of the real table. */
import { foundIn } from '#shared/engine/table/found.ts';
import type { Put, Write } from '#shared/engine/table/writes.ts';
import type { CoreServices } from '#shared/services.ts';

const isPut = (write: Write): write is Put => write.kind === 'put';

/** The changes read the rows that earlier ones made. They may only insert rows of a new organization. */
export async function storedTogether<Services extends CoreServices, Result>(
  services: Services,
  change: (collecting: Services) => Promise<Result>,
): Promise<Result> {
  const rows: Put[] = [];
  const own = {
    transact: async (writes: readonly Write[]) => {
      if (writes.some(({ kind }) => kind !== 'put' && kind !== 'check')) throw new Error('Only new rows are collected');
      rows.push(...writes.filter(isPut));
      return true;
    },
    getTogether: async () => foundIn(rows.map(({ item }) => item)),
  };
  const table = new Proxy(services.table, {
    get: (_, name) => {
      const member: unknown = Reflect.get(own, name);
      if (member === undefined) throw new Error(`The change of a new organization calls ${String(name)}`);
      return member;
    },
  });
  const result = await change({ ...services, table });
  await services.table.writeMany(rows);
  return result;
}
