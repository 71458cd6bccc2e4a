/** Makes titles unique within a spec file: a second test `adds` becomes `adds (2)`, as in imported reports. */
import { type Copies, ownTitle } from '#shared/reports/names.ts';

export class UniqueTitles {
  readonly #copies = new Map<string, Copies>();

  /** The title of the next test of a spec file. `names`: its suites, then the test itself. */
  next(group: string, spec: string, names: readonly string[]): string[] {
    const place = JSON.stringify([group, spec]);
    const copies: Copies = this.#copies.get(place) ?? new Map();
    this.#copies.set(place, copies);
    return ownTitle(copies, names);
  }
}
