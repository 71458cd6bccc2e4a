/** Writes as data, so that rules can say what belongs together and the table decides how to send it. */
import type { Attributes, Entity } from './entity.ts';
import type { TableKey } from './keys.ts';
import { type Changes, type Condition, expression } from './update.ts';

export type Put = { readonly kind: 'put'; readonly item: Attributes; readonly when?: Condition };
export type Update = {
  readonly kind: 'update';
  readonly key: TableKey;
  readonly changes: Changes;
  readonly when?: Condition;
};
export type Delete = { readonly kind: 'delete'; readonly key: TableKey };
/** Within a transaction only. */
type ConditionalDelete = Delete & { readonly when: Condition };
export type Write = Put | Update | Delete | ConditionalDelete;

/** Conditions on the item as a whole. */
export const ABSENT: Condition = { absent: 'pk' };
export const PRESENT: Condition = { present: 'pk' };

export const itemOf = <Key, Item extends Key>(entity: Entity<Key, Item>, item: Item): Attributes => ({
  ...entity.store(item),
  ...entity.key(item),
});

export const put = <Key, Item extends Key>(entity: Entity<Key, Item>, item: Item, when?: Condition): Put => ({
  kind: 'put',
  item: itemOf(entity, item),
  ...(when ? { when } : {}),
});

export const update = <Key, Item extends Key>(
  entity: Entity<Key, Item>,
  key: Key,
  changes: Changes,
  when?: Condition,
): Update => ({ kind: 'update', key: entity.key(key), changes, ...(when ? { when } : {}) });

export const remove = <Key, Item extends Key>(entity: Entity<Key, Item>, key: Key): Delete => ({
  kind: 'delete',
  key: entity.key(key),
});

export const removeWhen = <Key, Item extends Key>(
  entity: Entity<Key, Item>,
  key: Key,
  when: Condition,
): ConditionalDelete => ({ kind: 'delete', key: entity.key(key), when });

/** One element of TransactWriteItems. */
export function transactItem(TableName: string, write: Write) {
  if (write.kind === 'put') return { Put: { TableName, Item: write.item, ...expression(undefined, write.when) } };
  if (write.kind === 'delete') {
    const when = 'when' in write ? expression(undefined, write.when) : {};
    return { Delete: { TableName, Key: { ...write.key }, ...when } };
  }
  const { UpdateExpression = '', ...rest } = expression(write.changes, write.when);
  return { Update: { TableName, Key: { ...write.key }, UpdateExpression, ...rest } };
}

/** One element of BatchWriteItem, which takes no conditions. */
export function batchRequest(write: Put | Delete) {
  return write.kind === 'put' ? { PutRequest: { Item: write.item } } : { DeleteRequest: { Key: { ...write.key } } };
}
