/** Titles of tests that have the same name, in reports and in our reporters. */
import { normalizeTitle } from '#shared/model/short-names.ts';

/** The number of tests of a spec file with each title, by the JSON of the title. */
export type Copies = Map<string, number>;

/** Appends the next free number to a name that is taken. Further tests with this name get other numbers. */
export function findFreeTitle(copies: Copies, title: readonly string[], first: number): string[] {
  for (let number = first; ; number += 1) {
    const candidate = normalizeTitle([...title.slice(0, -1), `${title.at(-1)} (${number})`]);
    const key = JSON.stringify(candidate);
    if (copies.has(key)) continue;
    copies.set(key, 1);
    return candidate;
  }
}

export function makeUniqueTitle(copies: Copies, parts: readonly string[]): string[] {
  const title = normalizeTitle(parts);
  const key = JSON.stringify(title);
  const before = copies.get(key) ?? 0;
  copies.set(key, before + 1);
  return before > 0 ? findFreeTitle(copies, title, before + 1) : title;
}
