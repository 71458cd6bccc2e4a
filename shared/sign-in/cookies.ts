/**
 * The cookies of the pages. Chrome and Firefox accept the prefix `__Host-` and the attribute `Secure` on
 * http://localhost too.
 */

import { DAY_SECONDS } from '#shared/engine/durations.ts';
import { SIGN_IN_LIMITS } from './limits.ts';
import { formatHint } from './session-hint.ts';
import type { NewSession } from './sessions.ts';

const SESSION = '__Host-rundown-session';
const RETURN = '__Host-rundown-return';
const SHARE = '__Host-rundown-share';
const FLOW = '__Host-rundown-company';
const INVITATION = '__Host-rundown-invitation';
const THEME = 'rundown-theme';
/** The operation id of the form that was just done. The next page says so once. */
const DONE = '__Host-rundown-done';
const DONE_SECONDS = 30;

const HIDDEN = 'Path=/; Secure; HttpOnly; SameSite=Lax';
const YEAR_SECONDS = 365 * DAY_SECONDS;

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const makeSessionCookie = ({ secret, session }: Pick<NewSession, 'secret' | 'session'>): string =>
  `${SESSION}=${secret}.${formatHint(session)}; ${HIDDEN}`;
export const expireSessionCookie = (): string => `${SESSION}=; ${HIDDEN}; Max-Age=0`;
/** A sign-in link from the operator opens in another tab, where the query of the sign-in page is not available. */
export const makeReturnCookie = (path: string): string =>
  `${RETURN}=${encodeURIComponent(path)}; ${HIDDEN}; Max-Age=${SIGN_IN_LIMITS.returnSeconds}`;
export const expireReturnCookie = (): string => `${RETURN}=; ${HIDDEN}; Max-Age=0`;
/** The cookie that opens one share. It expires at the same time as the share, after `seconds`. */
export const makeShareCookie = (secret: string, seconds: number): string =>
  `${SHARE}=${secret}; ${HIDDEN}; Max-Age=${Math.max(0, Math.floor(seconds))}`;
export const makeThemeCookie = (theme: Theme): string =>
  `${THEME}=${theme}; Path=/; SameSite=Lax; HttpOnly; Max-Age=${YEAR_SECONDS}`;

export const makeDoneCookie = (form: string): string => `${DONE}=${form}; ${HIDDEN}; Max-Age=${DONE_SECONDS}`;
export const isDoneCookie = (cookie: string): boolean => cookie.startsWith(`${DONE}=`);
export const expireDoneCookie = (): string => `${DONE}=; ${HIDDEN}; Max-Age=0`;

/** Ties the answer of a provider to the browser that asked. */
export const makeFlowCookie = (challenge: string): string =>
  `${FLOW}=${challenge}; ${HIDDEN}; Max-Age=${SIGN_IN_LIMITS.companyMilliseconds / 1000}`;
export const expireFlowCookie = (): string => `${FLOW}=; ${HIDDEN}; Max-Age=0`;

/** The secret of the invitation that the person accepts at a provider, while they are there. */
export const makeInvitationCookie = (secret: string): string =>
  `${INVITATION}=${encodeURIComponent(secret)}; ${HIDDEN}; Max-Age=${SIGN_IN_LIMITS.companyMilliseconds / 1000}`;
export const expireInvitationCookie = (): string => `${INVITATION}=; ${HIDDEN}; Max-Age=0`;

export interface SentCookies {
  /** The secret of the session. */
  readonly session: string | undefined;
  /** What the session depends on, as the browser says. */
  readonly hint: string | undefined;
  /** The challenge of a sign-in at a provider that is in progress. */
  readonly flow: string | undefined;
  /** The secret of the invitation that the person accepts at a provider. */
  readonly invitation: string | undefined;
  /** The secret of a share. */
  readonly share: string | undefined;
  readonly theme: Theme;
  /** The form that was just done, as the browser sent it. */
  readonly done: string | undefined;
  /** The page to return to, as the browser sent it. `sanitizeReturnPath` checks it. */
  readonly returnTo: string | undefined;
}

/** Of two session cookies, neither is used: an attacker must have planted one. The same holds for share cookies. */
export function readCookies(header: string | undefined): SentCookies {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  const findValues = (name: string) => pairs.filter(([key]) => key === name).map(([, ...value]) => value.join('='));
  const [session, ...more] = findValues(SESSION);
  const [secret = '', ...hint] = session?.split('.') ?? [];
  const [share, ...moreShares] = findValues(SHARE);
  const [theme] = findValues(THEME);
  const [returnTo] = findValues(RETURN);
  const [doneForm] = findValues(DONE);
  const [invitation, ...moreInvitations] = findValues(INVITATION);
  const [flow, ...moreFlows] = findValues(FLOW);
  return {
    session: more.length === 0 && secret !== '' ? secret : undefined,
    hint: hint.length === 0 ? undefined : hint.join('.'),
    share: moreShares.length === 0 ? share : undefined,
    flow: moreFlows.length === 0 ? flow : undefined,
    invitation: moreInvitations.length === 0 && invitation ? decodeValue(invitation) : undefined,
    theme: THEMES.find((knownTheme) => knownTheme === theme) ?? 'system',
    done: doneForm,
    returnTo: returnTo === undefined ? undefined : decodeValue(returnTo),
  };
}

function decodeValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
