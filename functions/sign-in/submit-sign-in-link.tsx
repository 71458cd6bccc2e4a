import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { sessions, sessionsOfAccount } from '#shared/model/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in-link.ts';
import { accountHref } from '#shared/pages/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { sessionCookie } from '#shared/sign-in/cookies.ts';
import { redeemSignInLink } from '#shared/sign-in/links.ts';

export const handler = form({
  operationId: 'submitSignInLink',
  route: 'POST /sign-in/link',
  needs: 'visitor',
  access: {
    table: 'readWrite',
    writes: [sessions, sessionsOfAccount, signInLinks, linkOfAccount],
    artifacts: 'none',
  },
  fields: z.object({ code: z.string().trim() }),
  page: 'showSignInLink',
  async submit({ visit, fields, header }, services) {
    const request = { secret: fields.code, browser: header('user-agent') ?? '' };
    const { secret } = await redeemSignInLink(services, request);
    return redirect(accountHref(visit), { cookies: [sessionCookie(secret)] });
  },
});
