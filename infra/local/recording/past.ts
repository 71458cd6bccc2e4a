/** Services that write the past: their clock is set back, and nothing happens because of what they write. */
import type { Table } from '#shared/engine/table/table.ts';
import type { Write } from '#shared/engine/table/writes.ts';
import { OUTBOX_PREFIX } from '#shared/model/outbox.ts';
import type { Services } from '#shared/services.ts';

/** The partitions of runs that may time out. */
const DUE_RUNS = 'DUE#run#';

export const inThePast = (services: Services, now: () => number): Services => ({
  ...services,
  now,
  table: withoutConsequences(services.table),
});

/**
 * Receivers of webhooks must not get events of last month. A sweep must not time out a past run between its creation
 * and its end.
 */
function withoutConsequences(table: Table): Table {
  const transact: Table['transact'] = (writes) => table.transact(writes.filter((write) => !hasConsequence(write)));
  return new Proxy(table, {
    get: (target, name) => {
      if (name === 'transact') return transact;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function hasConsequence(write: Write): boolean {
  if (write.kind !== 'put') return false;
  const partition = String(write.item['pk']);
  return partition.startsWith(OUTBOX_PREFIX) || partition.startsWith(DUE_RUNS);
}
