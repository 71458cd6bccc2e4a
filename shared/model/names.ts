/** Schemas for ids, spec files and titles. Characters that a store or queue cannot hold become U+FFFD. */
import * as z from 'zod';
import { atMost } from '#shared/engine/http/lists.ts';
import { replaceInvalidCharacters } from '#shared/engine/queueable.ts';
import { MODEL_LIMITS } from './limits.ts';
import { limitTitle, normalizeId, normalizeSpec, normalizeText } from './short-names.ts';

/**
 * What a name may contain that people give to something, such as a person, a project, a rule or a key: one line without
 * control characters (U+0000–U+001F, U+007F–U+009F), line separators (U+2028, U+2029) and characters that embed, override
 * or isolate a direction of text (U+202A–U+202E, U+2066–U+2069), which show a name other than it is. Right-to-left names
 * need none of them. The marks that they may need (U+061C, U+200E, U+200F) and joiners are allowed. The pattern avoids
 * \p{…}, because clients in Python and Java read it in the OpenAPI document.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters
export const NAME = /^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*$/;
export const NAME_PROBLEM = 'must not contain control characters or characters that change the direction of text';

// Requests that look something up. Values that are too long are refused, because nothing has such a name.

export const text = (characters: number) => z.string().max(characters).overwrite(replaceInvalidCharacters);
export const id = text(MODEL_LIMITS.idCharacters).min(1);
export const projectId = id.meta({ description: 'Id of a project' });
export const spec = text(MODEL_LIMITS.specCharacters).min(1);
export const title = atMost(MODEL_LIMITS.titleParts, text(MODEL_LIMITS.titlePartCharacters), 1).refine(
  (parts) => parts.join('').length <= MODEL_LIMITS.titleCharacters,
  {
    error: `must have at most ${MODEL_LIMITS.titleCharacters} characters in all`,
  },
);

// Requests that record. Values that are too long are shortened, as in reports and in our reporters, because a refusal
// would cost the results of all other tests in the request.

/** A text that tells things apart, such as the name of an environment. It may be empty. */
export const sentText = z.string().overwrite((value) => normalizeText(value, MODEL_LIMITS.idCharacters));
export const sentId = z.string().min(1).overwrite(normalizeId);
export const sentSpec = z.string().overwrite(normalizeSpec);

/** Joins the last parts of a title that has too many parts, so that their number does not matter for validation. */
function joinExtraParts(parts: unknown): unknown {
  if (!Array.isArray(parts) || parts.length <= MODEL_LIMITS.titleParts) return parts;
  const keptCount = MODEL_LIMITS.titleParts - 1;
  return [...parts.slice(0, keptCount), parts.slice(keptCount).join(' ')];
}

export const sentTitle = z.preprocess(joinExtraParts, z.array(z.string()).min(1)).transform(limitTitle);
