/** The browser of a sign-in, and the page that it opens afterwards. */
import type { Services } from '#shared/services.ts';
import { endedReturnCookie, readCookies, sessionCookie } from './cookies.ts';
import { returnPathFrom } from './return-path.ts';
import type { NewSession, SignInBrowser } from './sessions.ts';
import type { AccountVisit, Visit } from './visit.ts';

/** Says who is signed in now, and shows nothing that another person asked for. */
const PAGE_OF_ANOTHER_PERSON = '/account';

export const browserOf = (
  visit: Visit | AccountVisit,
  header: (name: string) => string | undefined,
): SignInBrowser => ({
  browser: header('user-agent') ?? '',
  earlier: 'account' in visit ? visit.session : undefined,
});

/** Leads to the page that the person asked for before, else to the projects. Another person never gets that page. */
export function signedInTo(
  { origin }: Pick<Services, 'origin'>,
  {
    visit,
    started,
    cookie,
  }: { readonly visit: Visit | AccountVisit; readonly started: NewSession; readonly cookie: string | undefined },
): { readonly location: string; readonly cookies: readonly string[] } {
  const { returnTo } = readCookies(cookie);
  const isSamePerson = !('account' in visit) || visit.account.accountId === started.session.accountId;
  const path = isSamePerson ? returnPathFrom(returnTo, origin) : PAGE_OF_ANOTHER_PERSON;
  const ended = returnTo === undefined ? [] : [endedReturnCookie()];
  return { location: visit.base + path, cookies: [sessionCookie(started.secret), ...ended] };
}
