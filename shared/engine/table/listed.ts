/** Reads items through a list: rows that contain the keys of items that are stored elsewhere. */
import type { Entity, Span } from './entity.ts';
import type { Table } from './table.ts';

/** In the order of the rows of the span. Leaves out items that no longer exist. */
export async function readListedItems<Key, Item extends Key, Row extends Key>(
  table: Table,
  list: Pick<Entity<Key, Row>, 'load'>,
  span: Span,
  entity: Entity<Key, Item>,
): Promise<Item[]> {
  const rows = await table.queryAll(list, span, { consistent: true });
  const items = await table.getMany(entity, rows, { consistent: true });
  return items.filter((item) => item !== undefined);
}
