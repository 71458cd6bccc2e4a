import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { passkeys } from '#shared/model/sign-in/passkey.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { form } from '#shared/platform/page.ts';
import { planSignInRedirect, readSignInBrowser } from '#shared/sign-in/signed-in.ts';
import { usePasskey } from '#shared/sign-in/use-passkey.ts';

export const handler = form({
  operationId: 'submitPasskey',
  route: 'POST /sign-in/passkey',
  needs: 'visitor',
  access: {
    table: 'readWrite',
    writes: [sessions, sessionsOfAccount, passkeys, usedChallenges, challengeSecret],
    artifacts: 'none',
  },
  fields: z.object({ credential: z.string() }),
  page: 'showSignIn',
  async submit({ visit, fields, header }, services) {
    const request = { ...readSignInBrowser(visit, header), ...fields, use: { kind: 'signIn' } as const };
    const newSession = await usePasskey(services, request);
    const { location, cookies } = planSignInRedirect(services, {
      visit,
      started: newSession,
      cookie: header('cookie'),
    });
    return redirect(location, { cookies });
  },
});
