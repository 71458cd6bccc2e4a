/** The best few of very many: problems before the rest, and of either the latest. Holds twice as many as it gives, at most. */
export interface Candidate<Item> {
  readonly item: Item;
  readonly isProblem: boolean;
  /** Of all texts in it. */
  readonly characters: number;
  /** Whether one of them lost its end. */
  readonly isCut: boolean;
}

interface Room {
  readonly items: number;
  /** Of all items together. */
  readonly characters: number;
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
  readonly #room: Room;
  #listed: Listed<Item>[] = [];
  #count = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  add(candidate: Candidate<Item>): void {
    this.#listed.push({ ...candidate, number: this.#count });
    this.#count += 1;
    if (this.#listed.length === 2 * this.#room.items) this.#listed = this.#best();
  }

  result(): Shortlisted<Item> {
    const best = fitting(this.#best(), this.#room.characters);
    best.sort((one, other) => one.item.time - other.item.time || one.number - other.number);
    return {
      items: best.map(({ item }) => item),
      omitted: this.#count - best.length,
      cut: best.filter(({ isCut }) => isCut).length,
    };
  }

  /** The best first. */
  #best(): Listed<Item>[] {
    return this.#listed
      .toSorted(
        (one, other) =>
          Number(other.isProblem) - Number(one.isProblem) ||
          other.item.time - one.item.time ||
          other.number - one.number,
      )
      .slice(0, this.#room.items);
  }
}

/** The first ones that fit together. */
function fitting<Item>(all: readonly Listed<Item>[], characters: number): Listed<Item>[] {
  let left = characters;
  const end = all.findIndex((candidate) => {
    left -= candidate.characters;
    return left < 0;
  });
  return all.slice(0, end < 0 ? all.length : end);
}
