import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { challengeSecret, usedChallenges } from '#shared/model/organizations/challenge.ts';
import { passkeys } from '#shared/model/organizations/passkey.ts';
import { sessions, sessionsOfAccount } from '#shared/model/organizations/session.ts';
import { form } from '#shared/platform/page.ts';
import { browserOf, signedInTo } from '#shared/sign-in/signed-in.ts';
import { usePasskey } from '#shared/sign-in/use-passkey.ts';

/**
 * Accepts only a passkey of the signed-in account. The passkey of another account would sign the person in to that
 * account unnoticed.
 */
export const handler = form({
  operationId: 'submitConfirm',
  route: 'POST /sign-in/confirm',
  needs: 'account',
  access: {
    table: 'readWrite',
    writes: [sessions, sessionsOfAccount, passkeys, usedChallenges, challengeSecret],
    artifacts: 'none',
  },
  fields: z.object({ credential: z.string() }),
  page: 'showConfirm',
  async submit({ visit, fields, header }, services) {
    const use = { kind: 'confirm', accountId: visit.account.accountId } as const;
    const started = await usePasskey(services, { ...browserOf(visit, header), ...fields, use });
    const { location, cookies } = signedInTo(services, { visit, started, cookie: header('cookie') });
    return redirect(location, { cookies });
  },
});
