import * as z from 'zod';
import { makeJsonContent, redirect } from '#shared/engine/http/content.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { passkeys } from '#shared/model/sign-in/passkey.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import { ConfirmPage } from '#shared/pages/account/confirm-page.tsx';
import { findSentValue } from '#shared/pages/shell/refused-form.tsx';
import { form, page } from '#shared/platform/page.ts';
import type { Services } from '#shared/services.ts';
import { confirmIdentity } from '#shared/sign-in/confirm-identity.ts';
import { listConfirmingAdmins } from '#shared/sign-in/confirmation-codes.ts';
import { makeReturnCookie } from '#shared/sign-in/cookies.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { listPasskeys } from '#shared/sign-in/passkeys.ts';
import { findProvingProvider, listProviderIdentities } from '#shared/sign-in/provider-identities.ts';
import { findReferringPath, returnQuery, sanitizeReturnPath } from '#shared/sign-in/return-path.ts';
import { isFresh } from '#shared/sign-in/sessions.ts';
import { planSignInRedirect, readSignInBrowser } from '#shared/sign-in/signed-in.ts';
import { makePasskeyRequestOptions } from '#shared/sign-in/use-passkey.ts';
import type { Visit } from '#shared/sign-in/visit.ts';

/** Where "Not now" leads. The form sends it back, because its own answer has another referring page. */
const findBackPath = (
  { origin }: Pick<Services, 'origin'>,
  { base }: Pick<Visit, 'base'>,
  { sent, referer }: { readonly sent: string | undefined; readonly referer: string | undefined },
): string | undefined => (sent ? sanitizeReturnPath(sent, origin) : findReferringPath(referer, { origin, base }));

declare const BUILT_FRESH_ACTIONS: Readonly<Record<string, string>>;

export const showConfirm = page({
  operationId: 'showConfirm',
  route: 'GET /sign-in/confirm',
  lambda: 'sign-in',
  needs: 'account',
  inCompanySession: true,
  access: { table: 'read', artifacts: 'none' },
  query: returnQuery.extend({ action: z.string().optional() }),
  async show({ visit, query, refused, header }, services) {
    const { origin, now } = services;
    const returnTo = sanitizeReturnPath(query.return_to, origin);
    const isDone = isFresh(visit.session, now(), SIGN_IN_LIMITS.freshPageMilliseconds) && !refused;
    if (isDone) return redirect(visit.base + returnTo);
    const [passkeys, identities, admins] = await Promise.all([
      listPasskeys(services, visit.account),
      listProviderIdentities(services, visit.account),
      listConfirmingAdmins(services, visit.account),
    ]);
    const id = findSentValue(refused, 'submitConfirm', 'action') ?? query.action;
    const action = id !== undefined && Object.hasOwn(BUILT_FRESH_ACTIONS, id) ? BUILT_FRESH_ACTIONS[id] : undefined;
    const pendingAction = id === undefined || action === undefined ? undefined : { id, action };
    const body = (
      <ConfirmPage
        {...{ visit, refused, waiting: pendingAction, admins }}
        back={findBackPath(services, visit, {
          sent: findSentValue(refused, 'submitConfirm', 'back'),
          referer: header('referer'),
        })}
        provider={visit.session.company ? undefined : findProvingProvider(services, identities)}
        hasPasskey={passkeys.length > 0 && !visit.session.company}
      />
    );
    // When the form is shown again after an error, the request has no query, but the cookie is already set.
    const cookies = query.return_to === undefined ? [] : [makeReturnCookie(returnTo)];
    return { title: 'Confirm that it is you', body, script: 'passkey.js', hasSecret: true, cookies };
  },
});

export const getConfirmRequest = page({
  operationId: 'getConfirmRequest',
  route: 'GET /sign-in/confirm/options',
  lambda: 'sign-in',
  needs: 'account',
  access: { table: 'readWrite', writes: [challengeSecret], artifacts: 'none' },
  show: async ({ visit: { account } }, services) =>
    makeJsonContent(await makePasskeyRequestOptions(services, { kind: 'confirm', accountId: account.accountId })),
});

export const submitConfirm = form({
  operationId: 'submitConfirm',
  route: 'POST /sign-in/confirm',
  lambda: 'sign-in',
  needs: 'account',
  inCompanySession: true,
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
    back: z.string().default(''),
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
