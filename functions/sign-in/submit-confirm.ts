import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { passkeys } from '#shared/model/sign-in/passkey.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import { form } from '#shared/platform/page.ts';
import { confirmIdentity } from '#shared/sign-in/confirm-identity.ts';
import { planSignInRedirect, readSignInBrowser } from '#shared/sign-in/signed-in.ts';

export const handler = form({
  operationId: 'submitConfirm',
  route: 'POST /sign-in/confirm',
  needs: 'account',
  notFresh: 'provesIdentity',
  access: {
    table: 'readWrite',
    writes: [
      sessions,
      sessionsOfAccount,
      passkeys,
      usedChallenges,
      challengeSecret,
      confirmationCodes,
      signInLinks,
      linkOfAccount,
    ],
    artifacts: 'none',
  },
  fields: z.object({
    credential: z.string().default(''),
    code: z.string().trim().default(''),
    action: z.string().default(''),
  }),
  page: 'showConfirm',
  async submit({ visit, fields: { credential, code }, header }, services) {
    const { session } = visit;
    const newSession = await confirmIdentity(services, {
      ...readSignInBrowser(visit, header),
      session,
      credential,
      code,
    });
    const { location, cookies } = planSignInRedirect(services, {
      visit,
      started: newSession,
      cookie: header('cookie'),
    });
    return redirect(location, { cookies });
  },
});
