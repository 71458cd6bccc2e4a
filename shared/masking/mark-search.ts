/**
 * Finds which of many short words occur in a text, in one pass over it. Most texts contain no secret, and one search per
 * word was most of the cost of masking.
 *
 * This is the automaton of Aho and Corasick: a state is the longest beginning of a word that ends at the current
 * character.
 */

/** Size of the alphabet: words consist of ASCII characters. Any other character leads back to the start state. */
const CHARACTERS = 128;

/** One group of words that lead to the same result, such as the marks of one format. */
type Group = readonly string[];

export class MarkSearch {
  /** The next state for each state and ASCII character. */
  readonly #next: Int32Array;
  /** The groups whose words end in a state. */
  readonly #groupsAt: readonly (readonly number[])[];
  readonly #groups: number;
  /**
   * The number of the last search that visited each state. Reused, because most texts are short, but there are
   * thousands of states.
   */
  readonly #seen: Uint32Array;
  #searches = 0;

  /**
   * Builds the states for groups of lower-case words of ASCII characters. Upper-case letters of a text count as
   * lower-case ones.
   */
  constructor(groups: readonly Group[]) {
    this.#groups = groups.length;
    const next: number[] = Array<number>(CHARACTERS).fill(0);
    const groupsAt: number[][] = [[]];
    groups.forEach((words, group) => {
      for (const word of words) {
        let state = 0;
        for (let at = 0; at < word.length; at += 1) {
          const edge = state * CHARACTERS + word.charCodeAt(at);
          if (!next[edge]) {
            next[edge] = groupsAt.length;
            groupsAt.push([]);
            for (let character = 0; character < CHARACTERS; character += 1) next.push(0);
          }
          state = next[edge] ?? 0;
        }
        groupsAt[state]?.push(group);
      }
    });
    addFallbacks(next, groupsAt);
    for (let state = 0; state < groupsAt.length; state += 1) {
      for (let letter = 0; letter < 26; letter += 1) {
        next[state * CHARACTERS + 65 + letter] = next[state * CHARACTERS + 97 + letter] ?? 0;
      }
    }
    this.#next = Int32Array.from(next);
    this.#groupsAt = groupsAt;
    this.#seen = new Uint32Array(groupsAt.length);
  }

  /** The indexes of the groups of which the text contains a word, in ascending order. */
  groupsIn(text: string): number[] {
    const next = this.#next;
    const seen = this.#seen;
    this.#searches += 1;
    const search = this.#searches;
    const found = new Set<number>();
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charCodeAt(at);
      state = character < CHARACTERS ? (next[state * CHARACTERS + character] ?? 0) : 0;
      if (seen[state] !== search) {
        seen[state] = search;
        for (const group of this.#groupsAt[state] ?? []) found.add(group);
        if (found.size === this.#groups) break;
      }
    }
    return [...found].sort((one, other) => one - other);
  }
}

/**
 * Adds fallbacks to the states, from the start state outwards. Where a state has no transition of its own, it takes
 * that of its fallback: the longest other beginning of a word that ends at the same character.
 */
function addFallbacks(next: number[], groupsAt: number[][]): void {
  const fallback = new Int32Array(groupsAt.length);
  const queue = next.slice(0, CHARACTERS).filter((state) => state !== 0);
  for (const state of queue) {
    const other = fallback[state] ?? 0;
    groupsAt[state]?.push(...(groupsAt[other] ?? []));
    for (let character = 0; character < CHARACTERS; character += 1) {
      const edge = state * CHARACTERS + character;
      const shorter = next[other * CHARACTERS + character] ?? 0;
      const child = next[edge] ?? 0;
      if (child === 0) {
        next[edge] = shorter;
      } else {
        fallback[child] = shorter;
        queue.push(child);
      }
    }
  }
}
