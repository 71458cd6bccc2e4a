/**
 * Keeps the most important items of a stream: problems first, then the latest items. Holds at most twice as many items
 * as it returns.
 */

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
  /** The maximum number of characters of all items together. */
  readonly characters: number;
}

interface NumberedCandidate<Item> extends Candidate<Item> {
  /** The position of the item in the order of arrival. */
  readonly number: number;
}

export class Shortlist<Item extends { readonly time: number }> {
  readonly #limits: Limits;
  #numbered: NumberedCandidate<Item>[] = [];
  #count = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  add(candidate: Candidate<Item>): void {
    this.#numbered.push({ ...candidate, number: this.#count });
    this.#count += 1;
    if (this.#numbered.length === 2 * this.#limits.items) this.#numbered = this.#best();
  }

  /** The best items, ordered by time, then by arrival. `cut` counts those that were shortened. */
  result(): { readonly items: Item[]; readonly omitted: number; readonly cut: number } {
    const bestCandidates = takeFitting(this.#best(), this.#limits.characters);
    bestCandidates.sort((one, other) => one.item.time - other.item.time || one.number - other.number);
    return {
      items: bestCandidates.map(({ item }) => item),
      omitted: this.#count - bestCandidates.length,
      cut: bestCandidates.filter(({ isCut }) => isCut).length,
    };
  }

  #best(): NumberedCandidate<Item>[] {
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

function takeFitting<Item>(all: readonly NumberedCandidate<Item>[], characters: number): NumberedCandidate<Item>[] {
  let left = characters;
  const end = all.findIndex((candidate) => {
    left -= candidate.characters;
    return left < 0;
  });
  return all.slice(0, end < 0 ? all.length : end);
}
