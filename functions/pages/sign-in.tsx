import * as z from 'zod';
import { makeJsonContent, redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { passkeys } from '#shared/model/sign-in/passkey.ts';
import { providerIdentities, providerIdentitiesOfAccount } from '#shared/model/sign-in/provider-identity.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import { SignInLinkPage, SignInPage } from '#shared/pages/account/sign-in-page.tsx';
import { linkToAddPasskey, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import { form, page } from '#shared/platform/page.ts';
import { expireSessionCookie, makeReturnCookie } from '#shared/sign-in/cookies.ts';
import { redeemSignInLink } from '#shared/sign-in/links.ts';
import { listPasskeys } from '#shared/sign-in/passkeys.ts';
import { returnQuery, sanitizeReturnPath } from '#shared/sign-in/return-path.ts';
import { endSessions } from '#shared/sign-in/sessions.ts';
import { planSignInRedirect, readSignInBrowser } from '#shared/sign-in/signed-in.ts';
import { makePasskeyRequestOptions, usePasskey } from '#shared/sign-in/use-passkey.ts';

export const showSignIn = page({
  operationId: 'showSignIn',
  route: 'GET /sign-in',
  lambda: 'sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  query: returnQuery,
  show({ visit, query, refused }, { origin, signInProviders }) {
    const returnTo = sanitizeReturnPath(query.return_to, origin);
    if ('account' in visit && !refused) return redirect(visit.base + returnTo);
    // The response may set a cookie, so `hasSecret` keeps it out of caches.
    const cookies = query.return_to === undefined ? [] : [makeReturnCookie(returnTo)];
    const body = <SignInPage {...{ visit, refused, origin }} providers={signInProviders} />;
    return { title: 'Sign in', body, isSignIn: true, script: 'passkey.js', hasSecret: true, cookies };
  },
});

/** The page does not show whom the link is for, because the link scanners of email providers open it too. */
export const showSignInLink = page({
  operationId: 'showSignInLink',
  route: 'GET /sign-in/link',
  lambda: 'sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  show: ({ visit, refused }) => ({
    title: 'Sign in',
    isSignIn: true,
    body: <SignInLinkPage visit={visit} refused={refused} />,
  }),
});

export const submitSignInLink = form({
  operationId: 'submitSignInLink',
  route: 'POST /sign-in/link',
  lambda: 'sign-in',
  needs: 'visitor',
  access: {
    table: 'readWrite',
    writes: [sessions, sessionsOfAccount, signInLinks, linkOfAccount, providerIdentities, providerIdentitiesOfAccount],
    artifacts: 'none',
  },
  fields: z.object({ code: z.string().trim() }),
  page: 'showSignInLink',
  async submit({ visit, fields, header }, services) {
    const newSession = await redeemSignInLink(services, { ...readSignInBrowser(visit, header), secret: fields.code });
    const signedIn = planSignInRedirect(services, { visit, started: newSession, cookie: header('cookie') });
    const { path, isSamePerson, location, cookies } = signedIn;
    const asksForPasskey = isSamePerson && (await listPasskeys(services, newSession.session)).length === 0;
    return redirect(asksForPasskey ? linkToAddPasskey(visit, path) : location, { cookies });
  },
});

export const getPasskeyRequest = page({
  operationId: 'getPasskeyRequest',
  route: 'GET /sign-in/passkey/options',
  lambda: 'sign-in',
  needs: 'visitor',
  access: { table: 'readWrite', writes: [challengeSecret], artifacts: 'none' },
  show: async (_, services) => makeJsonContent(await makePasskeyRequestOptions(services, { kind: 'signIn' })),
});

export const submitPasskey = form({
  operationId: 'submitPasskey',
  route: 'POST /sign-in/passkey',
  lambda: 'sign-in',
  needs: 'visitor',
  access: {
    table: 'readWrite',
    writes: [sessions, sessionsOfAccount, passkeys, usedChallenges, challengeSecret],
    artifacts: 'none',
  },
  fields: z.object({ credential: z.string() }),
  page: 'showSignIn',
  async submit({ visit, fields, header }, services) {
    const request = { ...readSignInBrowser(visit, header), ...fields, use: { kind: 'signIn' } as const };
    const newSession = await usePasskey(services, request);
    const { location, cookies } = planSignInRedirect(services, {
      visit,
      started: newSession,
      cookie: header('cookie'),
    });
    return redirect(location, { cookies });
  },
});

export const submitSignOut = form({
  operationId: 'submitSignOut',
  route: 'POST /sign-out',
  lambda: 'sign-in',
  needs: 'account',
  inCompanySession: true,
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [sessions, sessionsOfAccount, auditRecords], artifacts: 'none' },
  fields: returnQuery,
  page: 'showSignIn',
  async submit({ visit, fields }, services) {
    const { session, person } = visit;
    await endSessions(services, person, ({ sessionId }) => sessionId === session.sessionId);
    const headers = { 'Clear-Site-Data': '"cache", "storage"' };
    // The next sign-in in this browser leads back to the page on which the person signed out.
    const returnTo = fields.return_to === undefined ? undefined : sanitizeReturnPath(fields.return_to, services.origin);
    return redirect(linkToSignIn(visit, returnTo), { headers, cookies: [expireSessionCookie()] });
  },
});
