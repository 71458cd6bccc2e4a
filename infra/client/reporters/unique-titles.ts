/** The titles of the tests of each spec file. The second `adds` becomes `adds (2)`, as in imports of reports. */
import { type Copies, ownTitle } from '#shared/reports/names.ts';

export class UniqueTitles {
  readonly #copies = new Map<string, Copies>();

  /** The title for the next test of this spec file with these names. */
  next(group: string, spec: string, names: readonly string[]): string[] {
    const place = JSON.stringify([group, spec]);
    const copies: Copies = this.#copies.get(place) ?? new Map();
    this.#copies.set(place, copies);
    return ownTitle(copies, names);
  }
}
