/** Writes as data, so that rules can say what belongs together and the table decides how to send it. */

import { parameters, toTyped } from './attributes.ts';
import type { Attributes, Entity } from './entity.ts';
import type { TableKey } from './keys.ts';
import type { Changes, Condition } from './update.ts';

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
/** Writes nothing: what has to hold for the rest of its transaction to happen. */
export type Check = { readonly kind: 'check'; readonly key: TableKey; readonly when: Condition };
export type Write = Put | Update | Delete | ConditionalDelete | Check;

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

/** For rows of any kind, as they were read. */
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

/** DynamoDB lets a transaction name an item once: a check of one that is written anyway joins the condition of that write. */
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

/** One element of TransactWriteItems. */
export function transactItem(TableName: string, write: Write) {
  const changes = write.kind === 'update' ? write.changes : undefined;
  const expressions = { TableName, ...parameters(changes, 'when' in write ? write.when : undefined) };
  if (write.kind === 'put') return { Put: { ...expressions, Item: toTyped(write.item) } };
  const item = { ...expressions, Key: toTyped(write.key) };
  if (write.kind === 'delete') return { Delete: item };
  // The SDK's types want these two named.
  return write.kind === 'check'
    ? { ConditionCheck: { ConditionExpression: undefined, ...item } }
    : { Update: { UpdateExpression: undefined, ...item } };
}

/** One element of BatchWriteItem, which takes no conditions. */
export function batchRequest(write: Put | Delete) {
  return write.kind === 'put'
    ? { PutRequest: { Item: toTyped(write.item) } }
    : { DeleteRequest: { Key: toTyped(write.key) } };
}
