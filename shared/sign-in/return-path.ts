/** The page to return to after signing in. It is always a path of this origin. */
import * as z from 'zod';
import { SIGN_IN_LIMITS } from './limits.ts';

/** The query of pages that lead back. */
export const returnQuery = z.object({ return_to: z.string().max(SIGN_IN_LIMITS.returnPathCharacters).optional() });

/** Returns the path if it leads nowhere else, or `/`. */
export function returnPathFrom(text: string | undefined, origin: string): string {
  if (text === undefined || text.length > SIGN_IN_LIMITS.returnPathCharacters) return '/';
  // Browsers read `\` as `/`, and drop tabs and line breaks.
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return '/';
  const url = URL.canParse(text, origin) ? new URL(text, origin) : undefined;
  return url?.origin === new URL(origin).origin && !url.pathname.startsWith('//') ? text : '/';
}
