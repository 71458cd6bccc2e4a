/**
 * Finds in a single pass which of many short words occur in a text. Most texts contain no secret, and searching for
 * each word separately would take most of the masking time.
 *
 * This is the Aho-Corasick automaton: a state is the longest prefix of a word that ends at the current character.
 */

import { readCodes } from './codes.ts';

/** The size of the alphabet. Words consist of ASCII characters. Any other character leads back to the start state. */
const CHARACTERS = 128;

/** A group of words that lead to the same result, for example all words that indicate one secret format. */
type MarkGroup = readonly string[];

export class MarkSearch {
  /** The next state for each state and ASCII character. */
  readonly #next: Uint16Array;
  /** For each state, the groups with a word that ends in this state. */
  readonly #groupsAt: readonly (readonly number[])[];
  /** For each state, whether a word ends in it. Most states have none, so a search seldom reads more. */
  readonly #ends: Uint8Array;
  readonly #groups: number;
  /** Per state, the last search that visited it. Shared, because clearing it would take longer than a short search. */
  readonly #seen: Uint32Array;
  #searches = 0;

  /** Builds the states for groups of lower-case ASCII words. The search ignores the case of the text. */
  constructor(groups: readonly MarkGroup[]) {
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
    this.#next = Uint16Array.from(next);
    this.#groupsAt = groupsAt;
    this.#ends = Uint8Array.from(groupsAt, (groups) => Number(groups.length > 0));
    this.#seen = new Uint32Array(groupsAt.length);
  }

  /** The indexes of all groups with a word that occurs in the text, in ascending order. */
  groupsIn(text: string): number[] {
    const codes = readCodes(text);
    const next = this.#next;
    const ends = this.#ends;
    const visits = this.#seen;
    this.#searches += 1;
    const search = this.#searches;
    const groups = new Set<number>();
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = codes[at] ?? 0;
      state = code < CHARACTERS ? (next[state * CHARACTERS + code] ?? 0) : 0;
      if (ends[state] === 1 && visits[state] !== search) {
        visits[state] = search;
        for (const group of this.#groupsAt[state] ?? []) groups.add(group);
        if (groups.size === this.#groups) break;
      }
    }
    return [...groups].sort((one, other) => one - other);
  }
}

/**
 * Starts at the states closest to the start state. A state without a transition for a character uses that of its
 * fallback state, the next shorter prefix of a word that ends at the same character.
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
