import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkToAccount } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { makeSessionCookie } from '#shared/sign-in/cookies.ts';
import { addPasskey } from '#shared/sign-in/register-passkey.ts';
import { returnQuery, sanitizeReturnPath } from '#shared/sign-in/return-path.ts';

export const handler = form({
  operationId: 'submitAddPasskey',
  route: 'POST /account/passkeys/new',
  needs: 'account',
  fresh: 'add a passkey',
  access: {
    table: 'readWrite',
    writes: [
      accounts,
      passkeys,
      passkeysOfAccount,
      sessions,
      sessionsOfAccount,
      usedChallenges,
      challengeSecret,
      auditRecords,
    ],
    artifacts: 'none',
  },
  fields: returnQuery.extend({ credential: z.string(), name: z.string() }),
  page: 'showAddPasskey',
  async submit({ visit, fields: { return_to: returnTo, ...fields } }, services) {
    const { person: actor, session } = visit;
    const { secret } = await addPasskey(services, { actor, session, ...fields });
    const location =
      returnTo === undefined ? linkToAccount(visit) : visit.base + sanitizeReturnPath(returnTo, services.origin);
    return redirect(location, { cookies: [makeSessionCookie(secret)] });
  },
});
