/** Counts the write units of each partition key per second of a simulated load. */
import type { Entity } from '#shared/engine/table/entity.ts';
import type { Table } from '#shared/engine/table/table.ts';
import type { Write } from '#shared/engine/table/writes.ts';

export class HotKeys {
  /** Simulated seconds since the start of the load. */
  second = 0;
  readonly #units = new Map<string, Map<number, number>>();

  /** Returns the table with its writes counted. */
  counting(table: Table): Table {
    return new Proxy(table, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]) => {
          const { second } = this;
          // A meter of its own tells concurrent calls apart.
          const own = target.metered();
          const result: unknown = await Reflect.apply(member, own, given);
          target.meter.add(own.meter);
          if (own.meter.writeUnits > 0) this.#count(partitionsOf(given), second, own.meter.writeUnits);
          return result;
        };
      },
    });
  }

  #count(partitions: readonly string[], second: number, units: number): void {
    for (const partition of partitions) {
      const seconds = this.#units.get(partition) ?? new Map<number, number>();
      seconds.set(second, (seconds.get(second) ?? 0) + units / partitions.length);
      this.#units.set(partition, seconds);
    }
  }

  /** The partition key with the most write units in one second, and that number. */
  hottest(): { readonly key: string; readonly units: number } {
    const peaks = [...this.#units].map(([key, seconds]) => ({ key, units: Math.max(...seconds.values()) }));
    return peaks.reduce((most, peak) => (peak.units > most.units ? peak : most), { key: '', units: 0 });
  }
}

/** One partition per row that is written. Calls are `put(entity, item)`, `update(entity, key)` or a list of writes. */
function partitionsOf([first, second]: readonly unknown[]): string[] {
  if (isWrites(first)) return first.map((write) => String(write.kind === 'put' ? write.item['pk'] : write.key.pk));
  return isEntity(first) ? [first.key(second).pk] : [];
}

const isWrites = (given: unknown): given is readonly Write[] => Array.isArray(given);
const isEntity = (given: unknown): given is Pick<Entity<unknown, unknown>, 'key'> =>
  typeof given === 'object' && given !== null && 'key' in given;
