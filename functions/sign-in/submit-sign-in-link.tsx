import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { sessions, sessionsOfAccount } from '#shared/model/organizations/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/organizations/sign-in-link.ts';
import { form } from '#shared/platform/page.ts';
import { redeemSignInLink } from '#shared/sign-in/links.ts';
import { browserOf, signedInTo } from '#shared/sign-in/signed-in.ts';

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
    const started = await redeemSignInLink(services, { ...browserOf(visit, header), secret: fields.code });
    const { location, cookies } = signedInTo(services, { visit, started, cookie: header('cookie') });
    return redirect(location, { cookies });
  },
});
