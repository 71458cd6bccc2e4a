import { redirect } from '#shared/engine/http/content.ts';
import { ConfirmPage } from '#shared/pages/account/sign-in-page.tsx';
import { page } from '#shared/platform/page.ts';
import { returnCookie } from '#shared/sign-in/cookies.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { listPasskeys } from '#shared/sign-in/passkeys.ts';
import { returnPathFrom, returnQuery } from '#shared/sign-in/return-path.ts';
import { isFresh } from '#shared/sign-in/sessions.ts';

export const handler = page({
  operationId: 'showConfirm',
  route: 'GET /sign-in/confirm',
  needs: 'account',
  access: { table: 'read', artifacts: 'none' },
  query: returnQuery,
  async show({ visit, query, refused }, services) {
    const { origin, now } = services;
    const returnTo = returnPathFrom(query.return_to, origin);
    const isDone = isFresh(visit.session, now(), SIGN_IN_LIMITS.freshPageMilliseconds) && !refused;
    if (isDone) return redirect(visit.base + returnTo);
    const hasPasskey = (await listPasskeys(services, visit.account)).length > 0;
    const body = <ConfirmPage visit={visit} refused={refused} hasPasskey={hasPasskey} />;
    // When the form is shown again after an error, the request has no query, but the cookie is already set.
    const cookies = query.return_to === undefined ? [] : [returnCookie(returnTo)];
    return { title: 'Confirm that it is you', body, script: 'passkey.js', hasSecret: true, cookies };
  },
});
