/** Titles of tests that have the same name, in reports and in our reporters. */
import { normalizeTitle } from '#shared/model/short-names.ts';

/** The number of tests of a spec file with each title, by the JSON of the title. */
export type Copies = Map<string, number>;

/**
 * Appends the next free number to the name of a test whose name is already taken. Further tests with this name get
 * other numbers.
 */
export function freeTitle(copies: Copies, title: readonly string[], first: number): string[] {
  for (let number = first; ; number += 1) {
    const own = normalizeTitle([...title.slice(0, -1), `${title.at(-1)} (${number})`]);
    const key = JSON.stringify(own);
    if (copies.has(key)) continue;
    copies.set(key, 1);
    return own;
  }
}

/** Converts any list of texts to a title that no earlier test of the spec file has. */
export function ownTitle(copies: Copies, parts: readonly string[]): string[] {
  const title = normalizeTitle(parts);
  const key = JSON.stringify(title);
  const before = copies.get(key) ?? 0;
  copies.set(key, before + 1);
  return before > 0 ? freeTitle(copies, title, before + 1) : title;
}
