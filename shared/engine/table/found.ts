/** The result of reading items of several entities together. */
import type { Attributes, Entity } from './entity.ts';
import type { TableKey } from './keys.ts';

export interface QueryOptions {
  readonly limit?: number;
  readonly newestFirst?: boolean;
  readonly after?: string | undefined;
  readonly consistent?: boolean;
  /** Whether to include ended rows that still exist. Code that deletes them needs this. */
  readonly ended?: boolean;
}

export interface Lookup<Item> {
  readonly key: TableKey;
  readonly load: (attributes: Attributes) => Item;
}

export const lookup = <Key, Item extends Key>(entity: Entity<Key, Item>, key: Key): Lookup<Item> => ({
  key: entity.key(key),
  load: entity.load,
});

export interface Found {
  /** Returns `undefined` if the item does not exist. */
  readonly of: <Item>(wanted: Lookup<Item>) => Item | undefined;
}

export function foundIn(items: readonly Attributes[]): Found {
  const rows = new Map(items.map((attributes) => [name(attributes), attributes]));
  return {
    of: ({ key, load }) => {
      const attributes = rows.get(name(key));
      return attributes && load(attributes);
    },
  };
}

/** Removes duplicates, because DynamoDB refuses a batch that names a key twice. */
export const distinct = (keys: readonly TableKey[]): TableKey[] => [
  ...new Map(keys.map((key) => [name(key), key])).values(),
];

const name = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }): string => JSON.stringify([pk, sk]);
