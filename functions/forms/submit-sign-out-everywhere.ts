import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { sessions, sessionsOfAccount } from '#shared/model/session.ts';
import { signInHref } from '#shared/pages/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { endedSessionCookie } from '#shared/sign-in/cookies.ts';
import { endSessions } from '#shared/sign-in/sessions.ts';

export const handler = form({
  operationId: 'submitSignOutEverywhere',
  route: 'POST /account/sign-out-everywhere',
  needs: 'account',
  access: { table: 'readWrite', writes: [sessions, sessionsOfAccount], artifacts: 'none' },
  fields: z.object({}),
  page: 'showAccount',
  async submit({ visit }, services) {
    await endSessions(services, visit.account, () => true);
    const headers = { 'Clear-Site-Data': '"cache", "storage"' };
    return redirect(signInHref(visit), { headers, cookies: [endedSessionCookie()] });
  },
});
