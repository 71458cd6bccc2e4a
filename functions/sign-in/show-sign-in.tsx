import { redirect } from '#shared/engine/http/content.ts';
import { SignInPage } from '#shared/pages/account/sign-in-page.tsx';
import { page } from '#shared/platform/page.ts';
import { makeReturnCookie } from '#shared/sign-in/cookies.ts';
import { returnQuery, sanitizeReturnPath } from '#shared/sign-in/return-path.ts';

export const handler = page({
  operationId: 'showSignIn',
  route: 'GET /sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  query: returnQuery,
  show({ visit, query, refused }, { origin }) {
    const returnTo = sanitizeReturnPath(query.return_to, origin);
    if ('account' in visit && !refused) return redirect(visit.base + returnTo);
    // The response may set a cookie, so `hasSecret` keeps it out of caches.
    const cookies = query.return_to === undefined ? [] : [makeReturnCookie(returnTo)];
    const body = <SignInPage visit={visit} refused={refused} />;
    return { title: 'Sign in', body, script: 'passkey.js', hasSecret: true, cookies };
  },
});
