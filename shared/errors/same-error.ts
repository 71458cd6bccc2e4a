/** §2.4 `sameError`: whether two attempts failed with the same error, apart from ids, numbers, URLs and paths. */
import { removeControlSequences, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { ERROR_LIMITS } from './limits.ts';
import { replaceVariableParts } from './variable-parts.ts';

export const normalizeError = (message: string): string =>
  replaceVariableParts(takeFirstCharacters(removeControlSequences(message), ERROR_LIMITS.comparedCharacters));

export const isSameError = (one: string, other: string): boolean => normalizeError(one) === normalizeError(other);
