/**
 * Names of spec files and tests, the same for reports and for recordings. Long names are shortened to the limits of
 * `shared/model/names.ts`. The end of a long name is replaced with a hash of the whole name, because tests with equal
 * names would be merged.
 */
import { createHash } from 'node:crypto';
import { queueable } from '#shared/engine/queueable.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { ownCopy } from './kept-text.ts';

const UNKNOWN = '(unknown)';
const HASH_CHARACTERS = 16;

/** Keeps the beginning of a long text, and appends a hash of the whole text. */
function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);
  return `${queueable(text.slice(0, characters - HASH_CHARACTERS - 1))}~${hash}`;
}

const nameWithin = (text: string, characters: number): string =>
  ownCopy(shortened(queueable(text), characters)) || UNKNOWN;

export const specName = (text: string): string => nameWithin(text, MODEL_LIMITS.specCharacters);
export const idName = (text: string): string => nameWithin(text, MODEL_LIMITS.idCharacters);

/** Converts any list of texts to a valid title. */
export function titleNames(parts: readonly string[]): string[] {
  const named = parts.filter((part) => part !== '');
  if (named.length === 0) return [UNKNOWN];
  const kept = MODEL_LIMITS.titleParts - 1;
  // The last parts of a title that has too many parts are joined.
  const whole = named.length > MODEL_LIMITS.titleParts ? [...named.slice(0, kept), named.slice(kept).join(' ')] : named;
  const title = whole.map((part) => nameWithin(part, MODEL_LIMITS.titlePartCharacters));
  if (title.join('').length <= MODEL_LIMITS.titleCharacters) return title;
  // Each part of a title that is too long as a whole gets an equal share of the limit.
  const share = Math.floor(MODEL_LIMITS.titleCharacters / title.length);
  return title.map((part) => shortened(part, share));
}

/** The number of tests of a spec file with each title, by the JSON of the title. */
export type Copies = Map<string, number>;

/**
 * Appends the next free number to the name of a test whose name is already taken. Further tests with this name get
 * other numbers.
 */
export function freeTitle(copies: Copies, title: readonly string[], first: number): string[] {
  for (let number = first; ; number += 1) {
    const own = titleNames([...title.slice(0, -1), `${title.at(-1)} (${number})`]);
    const key = JSON.stringify(own);
    if (copies.has(key)) continue;
    copies.set(key, 1);
    return own;
  }
}

/** Converts any list of texts to a title that no earlier test of the spec file has. */
export function ownTitle(copies: Copies, parts: readonly string[]): string[] {
  const title = titleNames(parts);
  const key = JSON.stringify(title);
  const before = copies.get(key) ?? 0;
  copies.set(key, before + 1);
  return before > 0 ? freeTitle(copies, title, before + 1) : title;
}
