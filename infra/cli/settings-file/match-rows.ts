/** Finds the object that each entry of a settings file is about. */
import type { FileSection } from './document.ts';
import { SUBJECT_NOUNS, type Subject } from './plan.ts';

interface MatchRules<Row, Entry> {
  readonly kind: Subject['kind'];
  readonly idOf: (row: Row) => string;
  /** The name by which an entry without an id finds its row. */
  readonly nameOf: (entry: Entry) => string | undefined;
  /** Ways to compare a row with an entry that has no id, the strictest first. The first that finds a row decides. */
  readonly fits: readonly ((row: Row, entry: Entry) => boolean)[];
}

/**
 * Finds the row of an entry by its id, or else by its name among the rows that no other entry names by id. Adds a
 * problem for an entry that is listed twice, has an unknown id or fits several rows.
 */
export function matchRows<Row, Entry extends { readonly id?: string | undefined }>(
  rows: readonly Row[],
  { given: entries, path, problems }: FileSection<readonly Entry[]>,
  { kind, idOf, nameOf, fits }: MatchRules<Row, Entry>,
): (Row | undefined)[] {
  const noun = SUBJECT_NOUNS[kind];
  const rowByEntry = new Map<Entry, Row>();
  const takenRows = new Set<Row>();
  const seenKeys = new Set<string>();
  const match = (entry: Entry, row: Row) => {
    rowByEntry.set(entry, row);
    takenRows.add(row);
  };
  for (const [index, entry] of entries.entries()) {
    const at = [...path, index];
    const name = entry.id ?? nameOf(entry);
    const key = JSON.stringify([entry.id === undefined, name]);
    if (name !== undefined && seenKeys.has(key))
      problems.add(at, `The ${noun} ${name} is listed twice. Remove one of them`);
    seenKeys.add(key);
    if (entry.id === undefined) continue;
    const row = rows.find((one) => idOf(one) === entry.id);
    if (row === undefined) problems.add([...at, 'id'], `No ${noun} has this id. Remove the id to create a new ${noun}`);
    else match(entry, row);
  }
  for (const isSame of fits) {
    for (const [index, entry] of entries.entries()) {
      if (entry.id !== undefined || rowByEntry.has(entry)) continue;
      const [row, ...others] = rows.filter((one) => !takenRows.has(one) && isSame(one, entry));
      if (others.length > 0)
        problems.add([...path, index], `Several existing ${noun}s fit this entry. Add the id of the one that you mean`);
      else if (row !== undefined) match(entry, row);
    }
  }
  return entries.map((entry) => rowByEntry.get(entry));
}
