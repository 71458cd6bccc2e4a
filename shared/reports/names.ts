/**
 * Spec files, titles and ids of reports, within the limits of `shared/model/names.ts`. A cut name would merge tests, so
 * a hash of the whole replaces the rest.
 */
import { createHash } from 'node:crypto';
import { queueable } from '#shared/engine/queueable.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { ownCopy } from './kept-text.ts';

const UNKNOWN = '(unknown)';
const HASH_CHARACTERS = 16;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);

/** Shortens a text. Keeps the beginning, and adds a hash of the whole. */
function shortened(text: string, characters: number, whole = text): string {
  if (text.length <= characters && whole === text) return text;
  return `${queueable(text.slice(0, characters - HASH_CHARACTERS - 1))}~${hashOf(whole)}`;
}

const nameWithin = (text: string, characters: number): string =>
  ownCopy(shortened(queueable(text), characters)) || UNKNOWN;

export const specName = (text: string): string => nameWithin(text, MODEL_LIMITS.specCharacters);
export const idName = (text: string): string => nameWithin(text, MODEL_LIMITS.idCharacters);

/** Turns any list of texts into a title that a recording accepts. */
export function titleNames(parts: readonly string[]): string[] {
  const named = parts.filter((part) => part !== '');
  if (named.length === 0) return [UNKNOWN];
  const whole = named.length > MODEL_LIMITS.titleParts ? mergedEnd(named) : named;
  const title = whole.map((part) => nameWithin(part, MODEL_LIMITS.titlePartCharacters));
  return title.join('').length > MODEL_LIMITS.titleCharacters ? shortTitle(title) : title;
}

/** Joins the last parts of a title with too many of them. */
function mergedEnd(parts: readonly string[]): string[] {
  const kept = parts.slice(0, MODEL_LIMITS.titleParts - 1);
  return [...kept, parts.slice(kept.length).join(' ')];
}

/** Shortens all parts of a title that is too long as a whole. */
function shortTitle(title: readonly string[]): string[] {
  const share = Math.floor(MODEL_LIMITS.titleCharacters / title.length);
  return title.map((part) => shortened(part, share));
}
