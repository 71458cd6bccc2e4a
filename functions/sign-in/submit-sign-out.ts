import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { sessions, sessionsOfAccount } from '#shared/model/session.ts';
import { signInHref } from '#shared/pages/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { endedSessionCookie } from '#shared/sign-in/cookies.ts';
import { endSessions } from '#shared/sign-in/sessions.ts';

export const handler = form({
  operationId: 'submitSignOut',
  route: 'POST /sign-out',
  needs: 'account',
  access: { table: 'readWrite', writes: [sessions, sessionsOfAccount], artifacts: 'none' },
  fields: z.object({}),
  page: 'showSignIn',
  async submit({ visit }, services) {
    const { session, account } = visit;
    await endSessions(services, account, ({ sessionId }) => sessionId === session.sessionId);
    const headers = { 'Clear-Site-Data': '"cache", "storage"' };
    return redirect(signInHref(visit), { headers, cookies: [endedSessionCookie()] });
  },
});
