/**
 * Gives each test of a spec file a title of its own, as imports of reports do: the second `adds` becomes `adds (2)`. So a
 * test has the same identity, whether it is recorded live or imported.
 */
import { numberedTitle, titleNames } from '#shared/reports/valid-names.ts';

export class UniqueTitles {
  readonly #copies = new Map<string, Map<string, number>>();

  /** The title for the next test of this spec file with these names. */
  next(group: string, spec: string, names: readonly string[]): string[] {
    const place = JSON.stringify([group, spec]);
    const copies = this.#copies.get(place) ?? new Map<string, number>();
    this.#copies.set(place, copies);
    const title = titleNames(names);
    const key = JSON.stringify(title);
    const copy = copies.get(key) ?? 0;
    copies.set(key, copy + 1);
    return copy > 0 ? numberedTitle(title, copy + 1, copies) : title;
  }
}
