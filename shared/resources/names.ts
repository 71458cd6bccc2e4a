/**
 * Ids, spec files and titles as callers send them. Bounded, and never cut: another name is another thing. Halves of
 * characters, which no UTF-8 store can hold, count as U+FFFD.
 */
import * as z from 'zod';
import { LIMITS } from '../limits.ts';

export const text = (characters: number) =>
  z
    .string()
    .max(characters)
    .overwrite((value) => value.toWellFormed());
export const id = text(LIMITS.idCharacters).min(1);
export const spec = text(LIMITS.specCharacters).min(1);
export const title = z
  .array(text(LIMITS.titlePartCharacters))
  .min(1)
  .max(LIMITS.titleParts)
  .refine((parts) => parts.join('').length <= LIMITS.titleCharacters, {
    error: `must have at most ${LIMITS.titleCharacters} characters in all`,
  });
