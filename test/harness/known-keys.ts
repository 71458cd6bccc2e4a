/**
 * A table that remembers the keys of all items that it may have written. A read of any other key returns nothing, and
 * does not call the database. This is correct as long as all items that are read through this table were also written
 * through it.
 */
import type { Span } from '#shared/engine/table/entity.ts';
import { makeLookupResult } from '#shared/engine/table/found.ts';
import type { TableKey } from '#shared/engine/table/keys.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { getRowKey, type Write } from '#shared/engine/table/writes.ts';

class Keys {
  readonly #known = new Map<string, Set<string>>();

  add({ pk, sk }: TableKey): void {
    const own = this.#known.get(pk);
    if (own) own.add(sk);
    else this.#known.set(pk, new Set([sk]));
  }

  addAll(writes: readonly Write[]): void {
    for (const write of writes) {
      if (write.kind === 'put') this.add(getRowKey(write.item));
      if (write.kind === 'update') this.add(write.key);
    }
  }

  has = ({ pk, sk }: TableKey): boolean => this.#known.get(pk)?.has(sk) ?? false;

  hasWithin({ pk, from, to }: Span): boolean {
    const own = this.#known.get(pk);
    if (!own) return false;
    const first = Buffer.from(from);
    const last = Buffer.from(to);
    for (const sk of own) {
      // DynamoDB compares sort keys by their UTF-8 bytes.
      const bytes = Buffer.from(sk);
      if (bytes.compare(first) >= 0 && bytes.compare(last) <= 0) return true;
    }
    return false;
  }

  forget(): void {
    this.#known.clear();
  }
}

export interface KnowingTable {
  readonly table: Table;
  /** Forgets all keys. After that, reads find only items that are written later. */
  readonly forget: () => void;
}

export function knowingKeys(table: Table): KnowingTable {
  const keys = new Keys();
  const members = { ...reads(table, keys), ...writes(table, keys) };
  const knowing = new Proxy(table, {
    get: (target, name) => {
      const own: unknown = Reflect.get(members, name);
      if (own !== undefined) return own;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { table: knowing, forget: () => keys.forget() };
}

function reads(table: Table, keys: Keys): Pick<Table, 'get' | 'getMany' | 'getTogether' | 'query' | 'queryAll'> {
  const getTogether: Table['getTogether'] = async (wanted, options) => {
    const known = wanted.filter(({ key }) => keys.has(key));
    return known.length === 0 ? makeLookupResult([]) : table.getTogether(known, options);
  };
  return {
    getTogether,
    get: async (entity, key, options) => (keys.has(entity.key(key)) ? table.get(entity, key, options) : undefined),
    getMany: async (entity, wanted, options) => {
      const known = wanted.filter((key) => keys.has(entity.key(key)));
      const found = known.length === 0 ? [] : await table.getMany(entity, known, options);
      const items = new Map(known.map((key, index) => [key, found[index]]));
      return wanted.map((key) => items.get(key));
    },
    query: async (entity, span, options) =>
      keys.hasWithin(span) ? table.query(entity, span, options) : { rows: [], read: 0, lastRead: undefined },
    queryAll: async (entity, span, options) => (keys.hasWithin(span) ? table.queryAll(entity, span, options) : []),
  };
}

function writes(table: Table, keys: Keys): Pick<Table, 'put' | 'update' | 'transact' | 'writeMany'> {
  return {
    put: async (entity, item, when) => {
      keys.add(entity.key(item));
      return table.put(entity, item, when);
    },
    update: async (entity, key, changes, when) => {
      keys.add(entity.key(key));
      return table.update(entity, key, changes, when);
    },
    transact: async (all) => {
      keys.addAll(all);
      return table.transact(all);
    },
    writeMany: async (all) => {
      keys.addAll(all);
      return table.writeMany(all);
    },
  };
}
