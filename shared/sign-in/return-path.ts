/** The page to return to after signing in. Always a path of this origin, to prevent open redirects. */
import * as z from 'zod';
import { SIGN_IN_LIMITS } from './limits.ts';

/** The query parameter of pages that lead back to another page. */
export const returnQuery = z.object({ return_to: z.string().max(SIGN_IN_LIMITS.returnPathCharacters).optional() });

/** Returns the path if it stays on this origin, else `/`. */
export function sanitizeReturnPath(text: string | undefined, origin: string): string {
  if (text === undefined || text.length > SIGN_IN_LIMITS.returnPathCharacters) return '/';
  // Browsers treat `\` as `/`, and drop tabs and line breaks.
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return '/';
  const url = URL.canParse(text, origin) ? new URL(text, origin) : undefined;
  return url?.origin === new URL(origin).origin && !url.pathname.startsWith('//') ? text : '/';
}

/** The path of the page that led here, below the base path. `undefined` for other origins, and for pages of sign-in. */
export function findReferringPath(
  referer: string | undefined,
  { origin, base }: { readonly origin: string; readonly base: string },
): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const url = new URL(referer);
  if (url.origin !== new URL(origin).origin || !url.pathname.startsWith(`${base}/`)) return undefined;
  const path = sanitizeReturnPath(url.pathname.slice(base.length) + url.search, origin);
  return path === '/' || path.startsWith('/sign-in') ? undefined : path;
}
