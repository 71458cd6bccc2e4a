/** Reads items through a list: rows that contain the keys of items that are stored elsewhere. */
import type { Entity, Span } from './entity.ts';
import type { Table } from './table.ts';

/** The items that the rows of a span name, in the order of these rows. Leaves out items that no longer exist. */
export async function readListed<Key, Item extends Key, Row extends Key>(
  table: Table,
  list: Pick<Entity<Key, Row>, 'load'>,
  span: Span,
  entity: Entity<Key, Item>,
): Promise<Item[]> {
  const rows = await table.queryAll(list, span, { consistent: true });
  const found = await table.getMany(entity, rows, { consistent: true });
  return found.filter((item) => item !== undefined);
}
