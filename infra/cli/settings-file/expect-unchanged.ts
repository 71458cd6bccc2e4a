/** Protects a change against others who change the same object after the plan was shown. */
import type { Entity } from '#shared/engine/table/entity.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { type Check, check, PRESENT } from '#shared/engine/table/writes.ts';

/** Lets a transaction fail if the row was deleted, or if one of the named attributes has changed since it was read. */
export function expectUnchanged<Key, Row extends Key & object>(
  entity: Entity<Key, Row>,
  row: Row,
  names: readonly (keyof Row & string)[],
): Check[] {
  const conditions = names.map((name): Condition => {
    const value: unknown = row[name];
    return isStored(value) ? { path: name, equals: value } : { absent: name };
  });
  return [check(entity, row, { all: [PRESENT, ...conditions] })];
}

const isStored = (value: unknown): value is string | number | boolean | object | null => value !== undefined;
