/** §2.4 `sameError`: whether two attempts failed alike, apart from ids, numbers, times and paths. */
import { beginningOf, withoutAnsi } from './plain-text.ts';

/** Differences between messages that do not matter. Each pattern is bounded, so hostile texts take linear time. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\bhttps?:\/\/[^\s'"`<>)]{1,2048}/gi, '<url>'],
  [/(?:[A-Za-z]:)?(?:[\\/][\w.@+-]{1,255}){2,64}/g, '<path>'],
  [/\b(?=[0-9a-f]{0,63}\d)[0-9a-f]{8,64}\b/gi, '<id>'],
  [/\d{1,64}(?:[.,]\d{1,64}){0,8}/g, '<n>'],
  [/\s{1,1024}/g, ' '],
];

/** The number of characters of a message that are compared. */
const COMPARED_CHARACTERS = 4096;

export const normalizedError = (message: string): string =>
  VARIABLE.reduce(
    (text, [pattern, name]) => text.replaceAll(pattern, name),
    beginningOf(withoutAnsi(message), COMPARED_CHARACTERS),
  ).trim();

export const isSameError = (one: string, other: string): boolean => normalizedError(one) === normalizedError(other);
