/** Counts the read and write units per partition key and second of a simulated load. */
import type { Attributes, Entity, Span } from '#shared/engine/table/entity.ts';
import type { TableKey } from '#shared/engine/table/keys.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { getRowKey, type Write } from '#shared/engine/table/writes.ts';
import { sum } from './sum.ts';

/** The second in which a partition key has the most units. */
export interface Peak {
  readonly key: string;
  readonly units: number;
  /** The units in this second by kind of row, which is the first word of the sort key. */
  readonly kinds: ReadonlyMap<string, number>;
}

type Units = 'readUnits' | 'writeUnits';

interface PeakOptions {
  /** The units of each key are multiplied by this. */
  readonly times?: (key: string) => number;
  /** Keys that count. */
  readonly only?: (key: string) => boolean;
}

export class HotKeys {
  /** Simulated seconds since the start of the load. */
  second = 0;
  readonly #counted = {
    readUnits: new Map<string, Map<number, Map<string, number>>>(),
    writeUnits: new Map<string, Map<number, Map<string, number>>>(),
  };

  /** Returns a table whose reads and writes are counted. */
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
          const { writeUnits, readUnits } = own.meter;
          const rows = writeUnits > 0 ? rowsOf(given) : [];
          const kilobytes = sum(rows.map((row) => row.kilobytes));
          for (const row of rows) this.#count('writeUnits', row.key, second, (writeUnits * row.kilobytes) / kilobytes);
          const keys = readUnits > 0 ? keysOf(given) : [];
          for (const key of keys) this.#count('readUnits', key, second, readUnits / keys.length);
          return result;
        };
      },
    });
  }

  #count(name: Units, { pk, sk }: TableKey, second: number, units: number): void {
    const seconds = this.#counted[name].get(pk) ?? new Map<number, Map<string, number>>();
    const kinds = seconds.get(second) ?? new Map<string, number>();
    const kind = sk.split('#', 1)[0] ?? '';
    kinds.set(kind, (kinds.get(kind) ?? 0) + units);
    this.#counted[name].set(pk, seconds.set(second, kinds));
  }

  /** Returns the partition key with the most units in one second. */
  hottest(name: Units, { times = () => 1, only = () => true }: PeakOptions = {}): Peak {
    const peaks = [...this.#counted[name]].flatMap(([key, seconds]) =>
      only(key)
        ? [...seconds.values()].map((counted) => {
            const kinds = new Map([...counted].map(([kind, units]) => [kind, units * times(key)]));
            return { key, kinds, units: sum([...kinds.values()]) };
          })
        : [],
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

/**
 * The rows that a call reads. The units of a call are divided evenly among them: each is below 4 KB. Calls are
 * `get(entity, key)`, `getMany(entity, keys)`, `query(entity, span)` or a list of lookups.
 */
function keysOf([first, second]: readonly unknown[]): TableKey[] {
  if (isLookups(first)) return first.map(({ key }) => key);
  if (isSpan(second)) return [{ pk: second.pk, sk: second.from }];
  if (!isEntity(first)) return [];
  return Array.isArray(second) ? second.map((key) => first.key(key)) : [first.key(second)];
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
const isLookups = (given: unknown): given is readonly { readonly key: TableKey }[] => Array.isArray(given);
const isSpan = (given: unknown): given is Span => typeof given === 'object' && given !== null && 'from' in given;
const isEntity = (given: unknown): given is Pick<Entity<unknown, unknown>, 'key'> =>
  typeof given === 'object' && given !== null && 'key' in given;
