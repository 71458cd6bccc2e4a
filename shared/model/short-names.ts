/**
 * Names of spec files, groups and tests, the same for reports, for recordings and in our reporters. Long names are
 * shortened to the limits of the model. The end of a long name is replaced with a hash of the whole name, because tests
 * with equal names would be merged.
 */
import { createHash } from 'node:crypto';
import { ownCopy } from '#shared/engine/own-copy.ts';
import { queueable } from '#shared/engine/queueable.ts';
import { MODEL_LIMITS } from './limits.ts';

const UNKNOWN = '(unknown)';
const HASH_CHARACTERS = 16;

/** Keeps the beginning of a long text, and appends a hash of the whole text. */
function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);
  return `${queueable(text.slice(0, characters - HASH_CHARACTERS - 1))}~${hash}`;
}

/** A text that tells things apart, such as the name of an environment. It may be empty. */
export const shortText = (text: string, characters: number): string => ownCopy(shortened(queueable(text), characters));

const nameWithin = (text: string, characters: number): string => shortText(text, characters) || UNKNOWN;

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

/**
 * Shortens a title that exceeds the limits. Any other title stays as it is, even if a part is empty, because another
 * title would begin another history.
 */
export function shortTitle(parts: readonly string[]): string[] {
  const isWithin =
    parts.length > 0 &&
    parts.length <= MODEL_LIMITS.titleParts &&
    parts.every((part) => part.length <= MODEL_LIMITS.titlePartCharacters) &&
    parts.join('').length <= MODEL_LIMITS.titleCharacters;
  return isWithin ? parts.map(queueable) : titleNames(parts);
}
