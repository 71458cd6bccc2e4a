/**
 * Schemas for ids, spec files and titles in requests. Values that are too long are refused and never cut, because a cut
 * name would be a different name. Characters that a store or queue cannot hold are replaced by U+FFFD.
 */
import * as z from 'zod';
import { atMost } from '#shared/engine/http/lists.ts';
import { queueable } from '#shared/engine/queueable.ts';
import { MODEL_LIMITS } from './limits.ts';

export const text = (characters: number) => z.string().max(characters).overwrite(queueable);
export const id = text(MODEL_LIMITS.idCharacters).min(1);
export const projectId = id.meta({ description: 'Id of a project' });
export const spec = text(MODEL_LIMITS.specCharacters).min(1);
export const title = atMost(MODEL_LIMITS.titleParts, text(MODEL_LIMITS.titlePartCharacters), 1).refine(
  (parts) => parts.join('').length <= MODEL_LIMITS.titleCharacters,
  {
    error: `must have at most ${MODEL_LIMITS.titleCharacters} characters in all`,
  },
);
