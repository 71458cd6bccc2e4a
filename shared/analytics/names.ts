/**
 * Assigns numbers to spec files and tests. A number never changes its meaning, so facts can store numbers instead of
 * names.
 */
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { pack, unpack } from '#shared/engine/table/packed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { analyticsNames, getNamesSpan, type NamesList, type NamesRow } from '#shared/model/analytics/names.ts';
import { ANALYTICS_LIMITS } from './limits.ts';

/** Names by number. */
export type Names<Name> = ReadonlyMap<number, Name>;

/** Full rows never change, so a container does not read them again while they are cached. */
const fullRows = new Map<string, readonly NamesRow[]>();

/** Every number in stored facts has a name, because names are written before facts. */
export async function readNames<Name>({ table }: WithTable, list: NamesList): Promise<Names<Name>> {
  const key = JSON.stringify([list.organizationId, list.projectId, list.kind]);
  const cachedRows = fullRows.get(key) ?? (await readFullRows(table, list));
  const rest = await table.queryAll(analyticsNames, getNamesSpan(list, cachedRows.length), { consistent: true });
  if (fullRows.size >= ANALYTICS_LIMITS.rememberedLists) fullRows.clear();
  fullRows.set(key, [...cachedRows, ...rest.filter(isFull)]);
  return new Map([...cachedRows, ...rest].flatMap((row) => unpackNames<Name>(row)));
}

/** The full rows at the beginning never change, so an eventually consistent read is enough, at half the cost. */
async function readFullRows(table: WithTable['table'], list: NamesList): Promise<NamesRow[]> {
  const rows = await table.queryAll(analyticsNames, getNamesSpan(list));
  const end = rows.findIndex((row, place) => row.row !== place || !isFull(row));
  return end === -1 ? rows : rows.slice(0, end);
}

const unpackNames = <Name>({ row, packed }: NamesRow): (readonly [number, Name])[] =>
  unpack<Name[]>(packed).map((name, place) => [row * ANALYTICS_LIMITS.namesPerRow + place, name] as const);

/** Appends the names that `findMissing` returns. Even concurrent calls append each name only once. */
export async function ensureNames<Name>(
  { table }: WithTable,
  list: NamesList,
  findMissing: (known: Names<Name>) => readonly Name[],
): Promise<Names<Name>> {
  return retryOptimistically('names of the read model', async () => {
    const rows = await table.queryAll(analyticsNames, getNamesSpan(list), { consistent: true });
    const names = new Map(rows.flatMap((row) => unpackNames<Name>(row)));
    let last = rows.at(-1);
    for (let missingNames = findMissing(names); missingNames.length > 0; missingNames = findMissing(names)) {
      last = await appendNames(table, list, last, missingNames);
      if (!last) return AGAIN;
      for (const [number, name] of unpackNames<Name>(last)) names.set(number, name);
    }
    return names;
  });
}

/** Appends as many names as fit into one row. Returns `undefined` if another call appended names in the meantime. */
async function appendNames<Name>(
  table: WithTable['table'],
  list: NamesList,
  last: NamesRow | undefined,
  newNames: readonly Name[],
): Promise<NamesRow | undefined> {
  const open = last && !isFull(last) ? last : undefined;
  const rowNames = open ? unpack<Name[]>(open.packed) : [];
  const names = [...rowNames, ...takeFittingNames(newNames.slice(0, ANALYTICS_LIMITS.namesPerRow - rowNames.length))];
  const row = open?.row ?? (last ? last.row + 1 : 0);
  const after = { ...list, row, count: names.length, packed: pack(names) };
  const { done } = await table.put(analyticsNames, after, open ? { path: 'count', equals: open.count } : ABSENT);
  return done ? after : undefined;
}

const isFull = ({ count, packed }: NamesRow): boolean =>
  count >= ANALYTICS_LIMITS.namesPerRow || packed.byteLength >= ANALYTICS_LIMITS.namesRowBytes;

/** The first name, and as many further names as fit into `namesRowBytes` without compression. */
function takeFittingNames<Name>(names: readonly Name[]): Name[] {
  let left: number = ANALYTICS_LIMITS.namesRowBytes;
  return names.filter((name, index) => {
    left -= Buffer.byteLength(JSON.stringify(name));
    return left >= 0 || index === 0;
  });
}
