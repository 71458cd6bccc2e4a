import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import { linkToAddPasskey } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { redeemSignInLink } from '#shared/sign-in/links.ts';
import { listPasskeys } from '#shared/sign-in/passkeys.ts';
import { planSignInRedirect, readSignInBrowser } from '#shared/sign-in/signed-in.ts';

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
    const newSession = await redeemSignInLink(services, { ...readSignInBrowser(visit, header), secret: fields.code });
    const signedIn = planSignInRedirect(services, { visit, started: newSession, cookie: header('cookie') });
    const { path, isSamePerson, location, cookies } = signedIn;
    const asksForPasskey = isSamePerson && (await listPasskeys(services, newSession.session)).length === 0;
    return redirect(asksForPasskey ? linkToAddPasskey(visit, path) : location, { cookies });
  },
});
