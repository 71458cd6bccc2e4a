/** Schemas for the inputs of forms. An input that is absent counts as empty. */
import * as z from 'zod';

export const entry = (characters: number) => z.string().max(characters).default('');

/** The trimmed text of an entry, or `undefined` if it is blank. */
export const trimEntry = (text: string): string | undefined => text.trim() || undefined;

/** Browsers do not send unchecked checkboxes. */
export const checkbox = z
  .string()
  .default('')
  .transform((value) => value === 'true');
