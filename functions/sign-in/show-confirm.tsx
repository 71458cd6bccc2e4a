import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { ConfirmPage } from '#shared/pages/account/confirm-page.tsx';
import { findSentValue } from '#shared/pages/shell/refused-form.tsx';
import { page } from '#shared/platform/page.ts';
import { listConfirmingAdmins } from '#shared/sign-in/confirmation-codes.ts';
import { makeReturnCookie } from '#shared/sign-in/cookies.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { listPasskeys } from '#shared/sign-in/passkeys.ts';
import { returnQuery, sanitizeReturnPath } from '#shared/sign-in/return-path.ts';
import { isFresh } from '#shared/sign-in/sessions.ts';

declare const BUILT_FRESH_ACTIONS: Readonly<Record<string, string>>;

export const handler = page({
  operationId: 'showConfirm',
  route: 'GET /sign-in/confirm',
  needs: 'account',
  access: { table: 'read', artifacts: 'none' },
  query: returnQuery.extend({ action: z.string().optional() }),
  async show({ visit, query, refused }, services) {
    const { origin, now } = services;
    const returnTo = sanitizeReturnPath(query.return_to, origin);
    const isDone = isFresh(visit.session, now(), SIGN_IN_LIMITS.freshPageMilliseconds) && !refused;
    if (isDone) return redirect(visit.base + returnTo);
    const [passkeys, admins] = await Promise.all([
      listPasskeys(services, visit.account),
      listConfirmingAdmins(services, visit.account),
    ]);
    const id = findSentValue(refused, 'submitConfirm', 'action') ?? query.action;
    const action = id !== undefined && Object.hasOwn(BUILT_FRESH_ACTIONS, id) ? BUILT_FRESH_ACTIONS[id] : undefined;
    const pendingAction = id === undefined || action === undefined ? undefined : { id, action };
    const body = (
      <ConfirmPage {...{ visit, refused, waiting: pendingAction, admins }} hasPasskey={passkeys.length > 0} />
    );
    // When the form is shown again after an error, the request has no query, but the cookie is already set.
    const cookies = query.return_to === undefined ? [] : [makeReturnCookie(returnTo)];
    return { title: 'Confirm that it is you', body, script: 'passkey.js', hasSecret: true, cookies };
  },
});
