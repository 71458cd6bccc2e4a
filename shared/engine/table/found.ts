/** The result of reading items of several entities together. */
import type { Attributes, Entity } from './entity.ts';
import type { TableKey } from './keys.ts';
import type { Condition } from './update.ts';

export interface QueryOptions {
  readonly limit?: number;
  readonly newestFirst?: boolean;
  readonly after?: string | undefined;
  readonly consistent?: boolean;
  /** The database leaves out rows that do not meet this. They count towards `limit`. */
  readonly filter?: Condition | undefined;
  /** Whether to include ended rows that still exist. Code that deletes them needs this. */
  readonly ended?: boolean;
}

export interface Lookup<Item> {
  readonly key: TableKey;
  readonly load: (attributes: Attributes) => Item;
}

export const makeLookup = <Key, Item extends Key>(entity: Entity<Key, Item>, key: Key): Lookup<Item> => ({
  key: entity.key(key),
  load: entity.load,
});

export interface LookupResult {
  /** Returns `undefined` if the item does not exist. */
  readonly of: <Item>(wanted: Lookup<Item>) => Item | undefined;
}

export function makeLookupResult(items: readonly Attributes[]): LookupResult {
  const rows = new Map(items.map((attributes) => [formatKey(attributes), attributes]));
  return {
    of: ({ key, load }) => {
      const attributes = rows.get(formatKey(key));
      return attributes && load(attributes);
    },
  };
}

/** DynamoDB refuses a batch that names a key twice. */
export const deduplicateKeys = (keys: readonly TableKey[]): TableKey[] => [
  ...new Map(keys.map((key) => [formatKey(key), key])).values(),
];

const formatKey = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }): string => JSON.stringify([pk, sk]);
