import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkToAccount, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { expireSessionCookie, makeSessionCookie } from '#shared/sign-in/cookies.ts';
import { removePasskey } from '#shared/sign-in/passkeys.ts';

export const handler = form({
  operationId: 'submitRemovePasskey',
  route: 'POST /account/passkeys/remove',
  needs: 'account',
  fresh: 'remove a passkey',
  access: {
    table: 'readWrite',
    writes: [accounts, passkeys, passkeysOfAccount, sessions, sessionsOfAccount, auditRecords],
    artifacts: 'none',
  },
  fields: z.object({ passkeyId: id }),
  page: 'showAccount',
  async submit({ visit, fields }, services) {
    const { person: actor, session } = visit;
    const renewedSession = await removePasskey(services, { actor, session, ...fields });
    return renewedSession
      ? redirect(linkToAccount(visit), { cookies: [makeSessionCookie(renewedSession.secret)] })
      : redirect(linkToSignIn(visit), { cookies: [expireSessionCookie()] });
  },
});
