/**
 * Ids, spec files and titles from requests. Too long ones are refused and never cut, because a cut name is another name.
 * Characters that no store or queue can hold become U+FFFD.
 */
import * as z from 'zod';
import { atMost } from '#shared/engine/http/lists.ts';
import { LIMITS } from '#shared/engine/limits.ts';
import { queueable } from '#shared/engine/queueable.ts';

export const text = (characters: number) => z.string().max(characters).overwrite(queueable);
export const id = text(LIMITS.idCharacters).min(1);
export const spec = text(LIMITS.specCharacters).min(1);
export const title = atMost(LIMITS.titleParts, text(LIMITS.titlePartCharacters), 1).refine(
  (parts) => parts.join('').length <= LIMITS.titleCharacters,
  {
    error: `must have at most ${LIMITS.titleCharacters} characters in all`,
  },
);
