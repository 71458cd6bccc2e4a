import { redirect } from '#shared/engine/http/content.ts';
import { ConfirmPage } from '#shared/pages/sign-in-page.tsx';
import { page } from '#shared/platform/page.ts';
import { returnCookie } from '#shared/sign-in/cookies.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { returnPathFrom, returnQuery } from '#shared/sign-in/return-path.ts';
import { isFresh } from '#shared/sign-in/sessions.ts';

export const handler = page({
  operationId: 'showConfirm',
  route: 'GET /sign-in/confirm',
  needs: 'account',
  access: { table: 'read', artifacts: 'none' },
  query: returnQuery,
  show({ visit, query }, { origin, now }) {
    const returnTo = returnPathFrom(query.return_to, origin);
    if (isFresh(visit.session, now(), SIGN_IN_LIMITS.freshPageMilliseconds)) return redirect(visit.base + returnTo);
    const body = <ConfirmPage visit={visit} />;
    return { title: 'Confirm that it is you', body, hasSecret: true, cookies: [returnCookie(returnTo)] };
  },
});
