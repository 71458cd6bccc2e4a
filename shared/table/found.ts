/** Items read together: those of one entity, or of several in one trip. */
import type { Attributes, Entity } from './entity.ts';
import type { TableKey } from './keys.ts';

/** One item of one entity. */
export interface Lookup<Item> {
  readonly key: TableKey;
  readonly load: (attributes: Attributes) => Item;
}

export const lookup = <Key, Item extends Key>(entity: Entity<Key, Item>, key: Key): Lookup<Item> => ({
  key: entity.key(key),
  load: entity.load,
});

export interface Found {
  /** `undefined` where there is no such item. */
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

/** Each key once: DynamoDB refuses a batch that names one twice. */
export const distinct = (keys: readonly TableKey[]): TableKey[] => [
  ...new Map(keys.map((key) => [name(key), key])).values(),
];

const name = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }): string => JSON.stringify([pk, sk]);
