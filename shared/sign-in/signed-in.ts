/** The browser in which somebody signs in, and the page that it opens afterwards. */
import type { Services } from '#shared/services.ts';
import { endedReturnCookie, readCookies, sessionCookie } from './cookies.ts';
import { returnPathFrom } from './return-path.ts';
import type { NewSession, SignInBrowser } from './sessions.ts';
import type { AccountVisit, Visit } from './visit.ts';

/**
 * The page to open if another person has signed in: it says who is signed in, and shows nothing that the previous
 * person asked for.
 */
const PAGE_OF_ANOTHER_PERSON = '/account';

export const browserOf = (
  visit: Visit | AccountVisit,
  header: (name: string) => string | undefined,
): SignInBrowser => ({
  browser: header('user-agent') ?? '',
  earlier: 'account' in visit ? visit.session : undefined,
});

/**
 * The path to open, as a location to redirect to, and the cookies to set. The path leads to the page that the person had asked for, or else to
 * the start page. If another person was signed in before, it leads to the account page instead.
 */
export function signedInTo(
  { origin }: Pick<Services, 'origin'>,
  {
    visit,
    started,
    cookie,
  }: { readonly visit: Visit | AccountVisit; readonly started: NewSession; readonly cookie: string | undefined },
): {
  readonly path: string;
  readonly isSamePerson: boolean;
  readonly location: string;
  readonly cookies: readonly string[];
} {
  const { returnTo } = readCookies(cookie);
  const isSamePerson = !('account' in visit) || visit.account.accountId === started.session.accountId;
  const path = isSamePerson ? returnPathFrom(returnTo, origin) : PAGE_OF_ANOTHER_PERSON;
  const ended = returnTo === undefined ? [] : [endedReturnCookie()];
  return { path, isSamePerson, location: visit.base + path, cookies: [sessionCookie(started.secret), ...ended] };
}
