/**
 * Finds in a single pass which of many short words occur in a text. Most texts contain no secret, and searching for
 * each word separately would take most of the masking time.
 *
 * This is the Aho-Corasick automaton: a state is the longest prefix of a word that ends at the current character.
 */

import { readCodes } from './codes.ts';

/** A group of words that lead to the same result, for example all words that indicate one secret format. */
type MarkGroup = readonly string[];

/** Any character that no word contains, of any UTF-16 code. It leads back to the start state. */
const OTHER = 0;

export class MarkSearch {
  /** The number of each UTF-16 code in the alphabet of all words. Letters of either case have the same number. */
  readonly #numbers = new Uint8Array(0x1_0000);
  /** The size of the alphabet. A state is the index of its first transition, so it is a multiple of this size. */
  readonly #size: number;
  /** The next state for each state and character. If a word ends in that state, all its bits are inverted. */
  readonly #next: Int32Array;
  /** For each state, the groups with a word that ends in this state. */
  readonly #groupsAt: readonly (readonly number[])[];
  readonly #groups: number;
  /** Per state, the last search that visited it. Shared, because clearing it would take longer than a short search. */
  readonly #seen: Uint32Array;
  #searches = 0;

  /** Builds the states for groups of lower-case ASCII words. The search ignores the case of the text. */
  constructor(groups: readonly MarkGroup[]) {
    this.#groups = groups.length;
    const alphabet = [...new Set(groups.flat().join(''))];
    alphabet.forEach((character, index) => {
      this.#numbers[character.charCodeAt(0)] = index + 1;
      this.#numbers[character.toUpperCase().charCodeAt(0)] = index + 1;
    });
    const size = alphabet.length + 1;
    this.#size = size;
    const next: number[] = Array<number>(size).fill(0);
    const groupsAt: number[][] = [[]];
    groups.forEach((words, group) => {
      for (const word of words) {
        let state = 0;
        for (let at = 0; at < word.length; at += 1) {
          const edge = state * size + (this.#numbers[word.charCodeAt(at)] ?? OTHER);
          if (!next[edge]) {
            next[edge] = groupsAt.length;
            groupsAt.push([]);
            for (let number = 0; number < size; number += 1) next.push(0);
          }
          state = next[edge] ?? 0;
        }
        groupsAt[state]?.push(group);
      }
    });
    addFallbacks(next, groupsAt, size);
    this.#next = Int32Array.from(next, (state) => (groupsAt[state]?.length ? ~(state * size) : state * size));
    this.#groupsAt = groupsAt;
    this.#seen = new Uint32Array(groupsAt.length);
  }

  /** The indexes of all groups with a word that occurs in the text, in ascending order. */
  groupsIn(text: string): number[] {
    const codes = readCodes(text);
    const numbers = this.#numbers;
    const next = this.#next;
    this.#searches += 1;
    const groups = new Set<number>();
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      state = next[state + (numbers[codes[at] ?? 0] ?? OTHER)] ?? 0;
      if (state < 0) {
        state = ~state;
        this.#addGroups(groups, state / this.#size);
        if (groups.size === this.#groups) break;
      }
    }
    return [...groups].sort((one, other) => one - other);
  }

  #addGroups(groups: Set<number>, state: number): void {
    if (this.#seen[state] === this.#searches) return;
    this.#seen[state] = this.#searches;
    for (const group of this.#groupsAt[state] ?? []) groups.add(group);
  }
}

/**
 * Starts at the states closest to the start state. A state without a transition for a character uses that of its
 * fallback state, the next shorter prefix of a word that ends at the same character.
 */
function addFallbacks(next: number[], groupsAt: number[][], size: number): void {
  const fallback = new Int32Array(groupsAt.length);
  const queue = next.slice(0, size).filter((state) => state !== 0);
  for (const state of queue) {
    const other = fallback[state] ?? 0;
    groupsAt[state]?.push(...(groupsAt[other] ?? []));
    for (let number = 0; number < size; number += 1) {
      const edge = state * size + number;
      const shorter = next[other * size + number] ?? 0;
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
