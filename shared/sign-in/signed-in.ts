/** The browser in which somebody signs in, and the page that it opens afterwards. */
import type { Session } from '#shared/model/sign-in/session.ts';
import type { Services } from '#shared/services.ts';
import { expireReturnCookie, makeSessionCookie, readCookies } from './cookies.ts';
import { sanitizeReturnPath } from './return-path.ts';
import type { NewSession, SignInBrowser } from './sessions.ts';
import type { AccountVisit, Visit } from './visit.ts';

/** If another person has signed in: it says who is signed in, and shows nothing that the previous one asked for. */
const PAGE_OF_ANOTHER_PERSON = '/account';

/** `undefined` for a visitor who is not signed in. */
export const findSession = (visit: Visit | AccountVisit): Session | undefined =>
  'account' in visit ? visit.session : undefined;

export const readSignInBrowser = (
  visit: Visit | AccountVisit,
  header: (name: string) => string | undefined,
): SignInBrowser => ({
  browser: header('user-agent') ?? '',
  earlier: findSession(visit),
});

interface SignIn {
  readonly visit: Visit | AccountVisit;
  readonly started: NewSession;
  /** The `Cookie` header. */
  readonly cookie: string | undefined;
}

interface SignInRedirect {
  readonly path: string;
  readonly isSamePerson: boolean;
  readonly location: string;
  readonly cookies: readonly string[];
}

/** Leads to the page that was asked for, else to the start page. If another person signed in, to the account page. */
export function planSignInRedirect(
  { origin }: Pick<Services, 'origin'>,
  { visit, started, cookie }: SignIn,
): SignInRedirect {
  const { returnTo } = readCookies(cookie);
  const isSamePerson = !('account' in visit) || visit.account.accountId === started.session.accountId;
  const path = isSamePerson ? sanitizeReturnPath(returnTo, origin) : PAGE_OF_ANOTHER_PERSON;
  const endedCookies = returnTo === undefined ? [] : [expireReturnCookie()];
  return {
    path,
    isSamePerson,
    location: visit.base + path,
    cookies: [makeSessionCookie(started), ...endedCookies],
  };
}
