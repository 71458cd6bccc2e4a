/** Keeps the best items of a stream: problems first, then the latest. Holds at most twice as many as it returns. */
export interface Candidate<Item> {
  readonly item: Item;
  readonly isProblem: boolean;
  /** The total size of the item's texts. */
  readonly characters: number;
  /** Whether one of the item's texts was shortened. */
  readonly isCut: boolean;
}

interface Limits {
  readonly items: number;
  /** The limit for all items together. */
  readonly characters: number;
}

interface Numbered<Item> extends Candidate<Item> {
  /** The number of the item in the order of arrival. */
  readonly number: number;
}

interface Shortlisted<Item> {
  /** The items, ordered by time, then by arrival. */
  readonly items: Item[];
  readonly omitted: number;
  /** The number of returned items that were shortened. */
  readonly cut: number;
}

export class Shortlist<Item extends { readonly time: number }> {
  readonly #limits: Limits;
  #numbered: Numbered<Item>[] = [];
  #count = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  add(candidate: Candidate<Item>): void {
    this.#numbered.push({ ...candidate, number: this.#count });
    this.#count += 1;
    if (this.#numbered.length === 2 * this.#limits.items) this.#numbered = this.#best();
  }

  result(): Shortlisted<Item> {
    const best = fitting(this.#best(), this.#limits.characters);
    best.sort((one, other) => one.item.time - other.item.time || one.number - other.number);
    return {
      items: best.map(({ item }) => item),
      omitted: this.#count - best.length,
      cut: best.filter(({ isCut }) => isCut).length,
    };
  }

  /** The kept items, best first. */
  #best(): Numbered<Item>[] {
    return this.#numbered
      .toSorted(
        (one, other) =>
          Number(other.isProblem) - Number(one.isProblem) ||
          other.item.time - one.item.time ||
          other.number - one.number,
      )
      .slice(0, this.#limits.items);
  }
}

/** The longest prefix within the limits. */
function fitting<Item>(all: readonly Numbered<Item>[], characters: number): Numbered<Item>[] {
  let left = characters;
  const end = all.findIndex((candidate) => {
    left -= candidate.characters;
    return left < 0;
  });
  return all.slice(0, end < 0 ? all.length : end);
}
