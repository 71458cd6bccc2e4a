/** §2.4 `sameError`: whether two attempts failed alike, though ids, numbers, times and paths differ. */
import { beginningOf, withoutAnsi } from './plain-text.ts';

/** What may differ between two runs of one failure. Each pattern is bounded, so that none takes long on a hostile text. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\bhttps?:\/\/[^\s'"`<>)]{1,2048}/gi, '<url>'],
  [/(?:[A-Za-z]:)?(?:[\\/][\w.@+-]{1,255}){2,64}/g, '<path>'],
  [/\b(?=[0-9a-f]{0,63}\d)[0-9a-f]{8,64}\b/gi, '<id>'],
  [/\d{1,64}(?:[.,]\d{1,64}){0,8}/g, '<n>'],
  [/\s{1,1024}/g, ' '],
];

/** Longer messages are told apart by their beginning. */
const COMPARED_CHARACTERS = 4096;

export const normalizedError = (message: string): string =>
  VARIABLE.reduce(
    (text, [pattern, name]) => text.replaceAll(pattern, name),
    beginningOf(withoutAnsi(message), COMPARED_CHARACTERS),
  ).trim();

export const isSameError = (one: string, other: string): boolean => normalizedError(one) === normalizedError(other);
