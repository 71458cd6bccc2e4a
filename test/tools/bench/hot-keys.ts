/** Counts the write units per partition key and second of a simulated load. */
import type { Attributes, Entity } from '#shared/engine/table/entity.ts';
import type { TableKey } from '#shared/engine/table/keys.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { getRowKey, type Write } from '#shared/engine/table/writes.ts';
import { sum } from './sum.ts';

/** The second in which a partition key has the most write units. */
export interface Peak {
  readonly key: string;
  readonly units: number;
  /** The write units in this second by kind of row, which is the first word of the sort key. */
  readonly kinds: ReadonlyMap<string, number>;
}

export class HotKeys {
  /** Simulated seconds since the start of the load. */
  second = 0;
  readonly #units = new Map<string, Map<number, Map<string, number>>>();

  /** Returns a table whose writes are counted. */
  counting(table: Table): Table {
    return new Proxy(table, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]) => {
          const { second } = this;
          // Each call has its own meter, because calls are concurrent.
          const own = target.metered();
          const result: unknown = await Reflect.apply(member, own, given);
          target.meter.add(own.meter);
          const rows = own.meter.writeUnits > 0 ? rowsOf(given) : [];
          const kilobytes = sum(rows.map((row) => row.kilobytes));
          for (const row of rows) this.#count(row.key, second, (own.meter.writeUnits * row.kilobytes) / kilobytes);
          return result;
        };
      },
    });
  }

  #count({ pk, sk }: TableKey, second: number, units: number): void {
    const seconds = this.#units.get(pk) ?? new Map<number, Map<string, number>>();
    const kinds = seconds.get(second) ?? new Map<string, number>();
    const kind = sk.split('#', 1)[0] ?? '';
    kinds.set(kind, (kinds.get(kind) ?? 0) + units);
    this.#units.set(pk, seconds.set(second, kinds));
  }

  /**
   * Returns the partition key with the most write units in one second. The units of each key are multiplied by
   * `times(key)`.
   */
  hottest(times: (key: string) => number = () => 1): Peak {
    const peaks = [...this.#units].flatMap(([key, seconds]) =>
      [...seconds.values()].map((counted) => {
        const kinds = new Map([...counted].map(([kind, units]) => [kind, units * times(key)]));
        return { key, kinds, units: sum([...kinds.values()]) };
      }),
    );
    return peaks.reduce((most, peak) => (peak.units > most.units ? peak : most), {
      key: '',
      units: 0,
      kinds: new Map(),
    });
  }
}

interface Written {
  readonly key: TableKey;
  /**
   * The weight of the row: the write units of a call are divided among its rows by size. The size is known only for
   * puts.
   */
  readonly kilobytes: number;
}

/** The rows that a call writes. Calls are `put(entity, item)`, `update(entity, key)` or a list of writes. */
function rowsOf([first, second]: readonly unknown[]): Written[] {
  if (isWrites(first)) return first.map(written);
  return isEntity(first) ? [{ key: first.key(second), kilobytes: 1 }] : [];
}

const written = (write: Write): Written =>
  write.kind === 'put'
    ? { key: getRowKey(write.item), kilobytes: Math.ceil(sizeOf(write.item) / 1024) }
    : { key: write.key, kilobytes: 1 };

const sizeOf = (item: Attributes): number =>
  Buffer.byteLength(
    JSON.stringify(item, (_, value) => (value instanceof Uint8Array ? '-'.repeat(value.length) : value)),
  );

const isWrites = (given: unknown): given is readonly Write[] => Array.isArray(given);
const isEntity = (given: unknown): given is Pick<Entity<unknown, unknown>, 'key'> =>
  typeof given === 'object' && given !== null && 'key' in given;
