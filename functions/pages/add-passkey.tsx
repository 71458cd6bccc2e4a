import * as z from 'zod';
import { makeJsonContent, redirect } from '#shared/engine/http/content.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { AddPasskeyPage } from '#shared/pages/account/passkeys.tsx';
import { linkToAccount } from '#shared/pages/shell/hrefs.ts';
import { findSentValue } from '#shared/pages/shell/refused-form.tsx';
import { form, page } from '#shared/platform/page.ts';
import { makeSessionCookie } from '#shared/sign-in/cookies.ts';
import { addPasskey, makePasskeyCreationOptions } from '#shared/sign-in/register-passkey.ts';
import { returnQuery, sanitizeReturnPath } from '#shared/sign-in/return-path.ts';

export const showAddPasskey = page({
  operationId: 'showAddPasskey',
  route: 'GET /account/passkeys/new',
  lambda: 'sign-in',
  needs: 'account',
  fresh: 'add a passkey',
  access: { table: 'read', artifacts: 'none' },
  query: returnQuery,
  show({ visit, query, refused }, { origin }) {
    const text = findSentValue(refused, 'submitAddPasskey', 'return_to') ?? query.return_to;
    const returnTo = text === undefined ? undefined : sanitizeReturnPath(text, origin);
    return {
      title: 'Add a passkey',
      script: 'passkey.js',
      body: <AddPasskeyPage {...{ visit, refused, returnTo }} />,
    };
  },
});

export const getPasskeyCreation = page({
  operationId: 'getPasskeyCreation',
  route: 'GET /account/passkeys/options',
  lambda: 'sign-in',
  needs: 'account',
  fresh: 'add a passkey',
  access: { table: 'readWrite', writes: [challengeSecret], artifacts: 'none' },
  show: async ({ visit }, services) => makeJsonContent(await makePasskeyCreationOptions(services, visit.account)),
});

export const submitAddPasskey = form({
  operationId: 'submitAddPasskey',
  route: 'POST /account/passkeys/new',
  lambda: 'sign-in',
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
    const renewedSession = await addPasskey(services, { actor, session, ...fields });
    const location =
      returnTo === undefined ? linkToAccount(visit) : visit.base + sanitizeReturnPath(returnTo, services.origin);
    return redirect(location, { cookies: [makeSessionCookie(renewedSession)] });
  },
});
