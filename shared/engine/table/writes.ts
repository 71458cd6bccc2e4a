/** Database writes described as data. Domain code collects them, and `Table` decides how to send them. */
import { ignoreEndedRow, refuseEndedRow } from './ended.ts';
import type { Attributes, Entity } from './entity.ts';
import type { TableKey } from './keys.ts';
import { buildExpression, type Changes, type Condition } from './update.ts';

export type Put = { readonly kind: 'put'; readonly item: Attributes; readonly when?: Condition };
export type Update = {
  readonly kind: 'update';
  readonly key: TableKey;
  readonly changes: Changes;
  readonly when?: Condition;
};
export type Delete = { readonly kind: 'delete'; readonly key: TableKey };
/** Only transactions accept conditions. */
type ConditionalDelete = Delete & { readonly when: Condition };
/** Checked by a transaction that does not write the item. */
export type Check = { readonly kind: 'check'; readonly key: TableKey; readonly when: Condition };
export type Write = Put | Update | Delete | ConditionalDelete | Check;

/** Conditions on whether the item exists. */
export const ABSENT: Condition = { absent: 'pk' };
export const PRESENT: Condition = { present: 'pk' };

export const buildItem = <Key, Item extends Key>(entity: Entity<Key, Item>, item: Item): Attributes => ({
  ...entity.store(item),
  ...entity.key(item),
});

export const put = <Key, Item extends Key>(entity: Entity<Key, Item>, item: Item, when?: Condition): Put => ({
  kind: 'put',
  item: buildItem(entity, item),
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

/** For rows of any kind. */
export const removeKey = (key: TableKey): Delete => ({ kind: 'delete', key });
export const getRowKey = (row: Attributes): TableKey => ({ pk: String(row['pk']), sk: String(row['sk']) });

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

/** A transaction may contain an item only once, so a check of a written item becomes a condition of the write. */
export function mergeChecks(checks: readonly Check[], writes: readonly Write[]): Write[] {
  const checksAlone = checks.filter(({ key }) => !writes.some((write) => hasKey(write, key)));
  const checkedWrites = writes.map((write) => {
    const conditions = checks.flatMap(({ key, when }) => (hasKey(write, key) ? [when] : []));
    if (conditions.length === 0) return write;
    return { ...write, when: { all: [...('when' in write && write.when ? [write.when] : []), ...conditions] } };
  });
  return [...checksAlone, ...checkedWrites];
}

function hasKey(write: Write, { pk, sk }: TableKey): boolean {
  const row = write.kind === 'put' ? write.item : write.key;
  return row['pk'] === pk && row['sk'] === sk;
}

/** `now` is in epoch milliseconds. */
export function toTransactItem(TableName: string, write: Write, now: number) {
  const changes = write.kind === 'update' ? write.changes : undefined;
  const expressions = { TableName, ...buildExpression(changes, buildCondition(write, now)) };
  if (write.kind === 'put') return { Put: { ...expressions, Item: write.item } };
  const keyedExpressions = { ...expressions, Key: write.key };
  if (write.kind === 'delete') return { Delete: keyedExpressions };
  return write.kind === 'check' ? { ConditionCheck: keyedExpressions } : { Update: keyedExpressions };
}

function buildCondition(write: Write, now: number): Condition | undefined {
  const when = 'when' in write ? write.when : undefined;
  if (write.kind === 'update') return refuseEndedRow(when, now);
  return when && ignoreEndedRow(when, now);
}

/** Batches do not support conditions. */
export function toBatchRequest(write: Put | Delete) {
  return write.kind === 'put' ? { PutRequest: { Item: write.item } } : { DeleteRequest: { Key: write.key } };
}
