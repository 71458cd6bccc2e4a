/** The best few of very many: problems before the rest, and of either the latest. Holds twice as many as it gives, at most. */
export interface Candidate<Item> {
  readonly item: Item;
  readonly isProblem: boolean;
  /** Whether a text in it lost its end. */
  readonly isCut: boolean;
}

interface Listed<Item> extends Candidate<Item> {
  /** Of arrival. */
  readonly number: number;
}

interface Shortlisted<Item> {
  /** By their times; those of one time in the order of arrival. */
  readonly items: Item[];
  readonly omitted: number;
  /** Of the items. */
  readonly cut: number;
}

export class Shortlist<Item extends { readonly time: number }> {
  readonly #most: number;
  #listed: Listed<Item>[] = [];
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(candidate: Candidate<Item>): void {
    this.#listed.push({ ...candidate, number: this.#count });
    this.#count += 1;
    if (this.#listed.length === 2 * this.#most) this.#listed = this.#best();
  }

  result(): Shortlisted<Item> {
    const best = this.#best().sort((one, other) => one.item.time - other.item.time || one.number - other.number);
    return {
      items: best.map(({ item }) => item),
      omitted: this.#count - best.length,
      cut: best.filter(({ isCut }) => isCut).length,
    };
  }

  #best(): Listed<Item>[] {
    return this.#listed
      .toSorted(
        (one, other) =>
          Number(other.isProblem) - Number(one.isProblem) ||
          other.item.time - one.item.time ||
          other.number - one.number,
      )
      .slice(0, this.#most);
  }
}
