/** Reads values that are split into several rows, such as facts and summaries. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { joinParts, type Part } from '#shared/engine/table/parts.ts';
import type { WithTable } from '#shared/engine/table/table.ts';

/** Reads one value per list of keys, in their order. A value is `undefined` if one of its rows is missing. */
export async function readParts<Value extends object, Key, Row extends Key & Part>(
  { table }: WithTable,
  entity: Entity<Key, Row>,
  keyLists: readonly (readonly NoInfer<Key>[])[],
): Promise<(Value | undefined)[]> {
  const read = async (lists: typeof keyLists, consistent: boolean) => {
    const rows = await table.getMany(entity, lists.flat(), { consistent });
    let end = 0;
    return lists.map((keys) => {
      const parts = rows.slice(end, end + keys.length);
      end += keys.length;
      return joinParts<Value>(parts.flatMap((part) => part ?? []));
    });
  };
  const first = await read(keyLists, false);
  const missingLists = keyLists.filter((_, index) => first[index] === undefined);
  if (missingLists.length === 0) return first;
  // An eventually consistent read may miss new rows, so missing rows are read again with a consistent read.
  const again = await read(missingLists, true);
  const valueByKeys = new Map(missingLists.map((keys, index) => [keys, again[index]]));
  return keyLists.map((keys, index) => first[index] ?? valueByKeys.get(keys));
}
