/**
 * The cookies of the pages. Chrome and Firefox accept the prefix `__Host-` and the attribute `Secure` on
 * http://localhost too.
 */
import { SIGN_IN_LIMITS } from './limits.ts';

const SESSION = '__Host-rundown-session';
const RETURN = '__Host-rundown-return';
const SHARE = '__Host-rundown-share';
const THEME = 'rundown-theme';

const HIDDEN = 'Path=/; Secure; HttpOnly; SameSite=Lax';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const sessionCookie = (secret: string): string => `${SESSION}=${secret}; ${HIDDEN}`;
export const endedSessionCookie = (): string => `${SESSION}=; ${HIDDEN}; Max-Age=0`;
/**
 * Remembers the page to return to after signing in. A sign-in link from the operator opens in another tab, where the
 * query of the sign-in page is not available.
 */
export const returnCookie = (path: string): string =>
  `${RETURN}=${encodeURIComponent(path)}; ${HIDDEN}; Max-Age=${SIGN_IN_LIMITS.returnSeconds}`;
export const endedReturnCookie = (): string => `${RETURN}=; ${HIDDEN}; Max-Age=0`;
/** The cookie that opens one share. It expires at the same time as the share, after `seconds`. */
export const shareCookie = (secret: string, seconds: number): string =>
  `${SHARE}=${secret}; ${HIDDEN}; Max-Age=${Math.max(0, Math.floor(seconds))}`;
export const themeCookie = (theme: Theme): string =>
  `${THEME}=${theme}; Path=/; SameSite=Lax; HttpOnly; Max-Age=${YEAR_SECONDS}`;

export interface SentCookies {
  readonly session: string | undefined;
  /** The secret of a share. */
  readonly share: string | undefined;
  readonly theme: Theme;
  /** The page to return to, as the browser sent it. `returnPathFrom` checks it. */
  readonly returnTo: string | undefined;
}

/**
 * Reads the `Cookie` header. If it contains two session cookies, neither is used, because an attacker must have planted
 * one of them. The same holds for two share cookies.
 */
export function readCookies(header: string | undefined): SentCookies {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  const named = (name: string) => pairs.filter(([key]) => key === name).map(([, ...value]) => value.join('='));
  const [session, ...more] = named(SESSION);
  const [share, ...moreShares] = named(SHARE);
  const [theme] = named(THEME);
  const [returnTo] = named(RETURN);
  return {
    session: more.length === 0 ? session : undefined,
    share: moreShares.length === 0 ? share : undefined,
    theme: THEMES.find((known) => known === theme) ?? 'system',
    returnTo: returnTo === undefined ? undefined : decoded(returnTo),
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
