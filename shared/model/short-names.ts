/**
 * Names of spec files, groups and tests, the same for reports, for recordings and in our reporters. Long names are
 * shortened to the limits of the model. The end of a long name is replaced with a hash of the whole name, because tests
 * with equal names would be merged.
 */
import { createHash } from 'node:crypto';
import { copyText } from '#shared/engine/own-copy.ts';
import { replaceInvalidCharacters } from '#shared/engine/queueable.ts';
import { MODEL_LIMITS } from './limits.ts';

const UNKNOWN = '(unknown)';
const HASH_CHARACTERS = 16;

function shortenWithHash(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);
  return `${replaceInvalidCharacters(text.slice(0, characters - HASH_CHARACTERS - 1))}~${hash}`;
}

/**
 * A text that tells things apart, such as the name of an environment. It may be empty. The copy keeps no report in memory
 * from which the text was cut.
 */
export const normalizeText = (text: string, characters: number): string =>
  copyText(shortenWithHash(replaceInvalidCharacters(text), characters));

const normalizeName = (text: string, characters: number): string => normalizeText(text, characters) || UNKNOWN;

export const normalizeSpec = (text: string): string => normalizeName(text, MODEL_LIMITS.specCharacters);
export const normalizeId = (text: string): string => normalizeName(text, MODEL_LIMITS.idCharacters);

/** Converts any list of texts to a valid title. */
export function normalizeTitle(parts: readonly string[]): string[] {
  const namedParts = parts.filter((part) => part !== '');
  if (namedParts.length === 0) return [UNKNOWN];
  const keptCount = MODEL_LIMITS.titleParts - 1;
  // The last parts of a title that has too many parts are joined.
  const joinedParts =
    namedParts.length > MODEL_LIMITS.titleParts
      ? [...namedParts.slice(0, keptCount), namedParts.slice(keptCount).join(' ')]
      : namedParts;
  const title = joinedParts.map((part) => normalizeName(part, MODEL_LIMITS.titlePartCharacters));
  if (title.join('').length <= MODEL_LIMITS.titleCharacters) return title;
  // Each part of a title that is too long as a whole gets an equal share of the limit.
  const share = Math.floor(MODEL_LIMITS.titleCharacters / title.length);
  return title.map((part) => shortenWithHash(part, share));
}

/** A title within the limits stays as it is, even with an empty part: another title would begin another history. */
export function limitTitle(parts: readonly string[]): string[] {
  const isWithin =
    parts.length > 0 &&
    parts.length <= MODEL_LIMITS.titleParts &&
    parts.every((part) => part.length <= MODEL_LIMITS.titlePartCharacters) &&
    parts.join('').length <= MODEL_LIMITS.titleCharacters;
  return isWithin ? parts.map(replaceInvalidCharacters) : normalizeTitle(parts);
}
