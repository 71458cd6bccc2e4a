/** Database writes described as data. Domain code collects them, and `Table` decides how to send them. */

import { asIfGone, unlessEnded } from './ended.ts';
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
/** A deletion with a condition, which only transactions accept. */
type ConditionalDelete = Delete & { readonly when: Condition };
/** A condition on an item that a transaction checks without writing the item. */
export type Check = { readonly kind: 'check'; readonly key: TableKey; readonly when: Condition };
export type Write = Put | Update | Delete | ConditionalDelete | Check;

/** Conditions on whether the item exists. */
export const ABSENT: Condition = { absent: 'pk' };
export const PRESENT: Condition = { present: 'pk' };

export const itemOf = <Key, Item extends Key>(entity: Entity<Key, Item>, item: Item): Attributes => ({
  ...entity.store(item),
  ...entity.key(item),
});

export const put = <Key, Item extends Key>(entity: Entity<Key, Item>, item: Item, when?: Condition): Put => ({
  kind: 'put',
  item: itemOf(entity, item),
  when,
});

export const update = <Key, Item extends Key>(
  entity: Entity<Key, Item>,
  key: Key,
  changes: Changes,
  when?: Condition,
): Update => ({ kind: 'update', key: entity.key(key), changes, when });

export const remove = <Key, Item extends Key>(entity: Entity<Key, Item>, key: Key): Delete => ({
  kind: 'delete',
  key: entity.key(key),
});

/** Describes the deletion of a row of any kind by its key. */
export const removeKey = (key: TableKey): Delete => ({ kind: 'delete', key });
export const keyOf = (row: Attributes): TableKey => ({ pk: String(row['pk']), sk: String(row['sk']) });

export const removeWhen = <Key, Item extends Key>(
  entity: Entity<Key, Item>,
  key: Key,
  when: Condition,
): ConditionalDelete => ({ kind: 'delete', key: entity.key(key), when });

export const check = <Key, Item extends Key>(entity: Entity<Key, Item>, key: Key, when: Condition): Check => ({
  kind: 'check',
  key: entity.key(key),
  when,
});

/**
 * A transaction may contain an item only once, so a check of an item that is also written becomes a condition of that
 * write.
 */
export function checked(checks: readonly Check[], writes: readonly Write[]): Write[] {
  const apart = checks.filter(({ key }) => !writes.some((write) => isOf(write, key)));
  const joined = writes.map((write) => {
    const conditions = checks.flatMap(({ key, when }) => (isOf(write, key) ? [when] : []));
    if (conditions.length === 0) return write;
    return { ...write, when: { all: [...('when' in write && write.when ? [write.when] : []), ...conditions] } };
  });
  return [...apart, ...joined];
}

function isOf(write: Write, { pk, sk }: TableKey): boolean {
  const at = write.kind === 'put' ? write.item : write.key;
  return at['pk'] === pk && at['sk'] === sk;
}

/** Converts a write to an element of a `TransactWriteItems` request. `now` is in epoch milliseconds. */
export function transactItem(TableName: string, write: Write, now: number) {
  const changes = write.kind === 'update' ? write.changes : undefined;
  const expressions = { TableName, ...expression(changes, conditionOf(write, now)) };
  if (write.kind === 'put') return { Put: { ...expressions, Item: write.item } };
  const item = { ...expressions, Key: write.key };
  if (write.kind === 'delete') return { Delete: item };
  return write.kind === 'check' ? { ConditionCheck: item } : { Update: item };
}

function conditionOf(write: Write, now: number): Condition | undefined {
  const when = 'when' in write ? write.when : undefined;
  if (write.kind === 'update') return unlessEnded(when, now);
  return when && asIfGone(when, now);
}

/** Converts a write to an element of a `BatchWriteItem` request, which does not support conditions. */
export function batchRequest(write: Put | Delete) {
  return write.kind === 'put' ? { PutRequest: { Item: write.item } } : { DeleteRequest: { Key: write.key } };
}
