import * as z from 'zod';
import { makeJsonContent, redirect } from '#shared/engine/http/content.ts';
import { accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { DEPLOYMENT_PROVIDERS } from '#shared/model/sign-in/deployment-provider.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { providerIdentities, providerIdentitiesOfAccount } from '#shared/model/sign-in/provider-identity.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import { invitationNotFound } from '#shared/organizations/errors.ts';
import { findOpenInvitation, joinOrganization } from '#shared/organizations/join-organization.ts';
import { ConfirmPage } from '#shared/pages/account/confirm-page.tsx';
import { InvitationPage } from '#shared/pages/account/invitation-page.tsx';
import { AddPasskeyPage } from '#shared/pages/account/passkeys.tsx';
import { SignInLinkPage, SignInPage } from '#shared/pages/account/sign-in-page.tsx';
import {
  linkToAccount,
  linkToAddPasskey,
  linkToOrganization,
  linkToProviderSignIn,
  linkToSignIn,
} from '#shared/pages/shell/hrefs.ts';
import { findSentValue } from '#shared/pages/shell/refused-form.tsx';
import { form, page } from '#shared/platform/page.ts';
import { joinAsNewPerson } from '#shared/sign-in/accept-invitation.ts';
import { confirmIdentity } from '#shared/sign-in/confirm-identity.ts';
import { listConfirmingAdmins } from '#shared/sign-in/confirmation-codes.ts';
import {
  expireSessionCookie,
  makeInvitationCookie,
  makeReturnCookie,
  makeSessionCookie,
} from '#shared/sign-in/cookies.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { redeemSignInLink } from '#shared/sign-in/links.ts';
import { listPasskeys } from '#shared/sign-in/passkeys.ts';
import { findProvingProvider, listProviderIdentities } from '#shared/sign-in/provider-identities.ts';
import { addPasskey, makePasskeyCreationOptions } from '#shared/sign-in/register-passkey.ts';
import { returnQuery, sanitizeReturnPath } from '#shared/sign-in/return-path.ts';
import { endSessions, isFresh } from '#shared/sign-in/sessions.ts';
import { planSignInRedirect, readSignInBrowser } from '#shared/sign-in/signed-in.ts';
import { makePasskeyRequestOptions, usePasskey } from '#shared/sign-in/use-passkey.ts';

export const showSignIn = page({
  operationId: 'showSignIn',
  route: 'GET /sign-in',
  lambda: 'sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  query: returnQuery,
  show({ visit, query, refused }, { origin, signInProviders }) {
    const returnTo = sanitizeReturnPath(query.return_to, origin);
    if ('account' in visit && !refused) return redirect(visit.base + returnTo);
    // The response may set a cookie, so `hasSecret` keeps it out of caches.
    const cookies = query.return_to === undefined ? [] : [makeReturnCookie(returnTo)];
    const body = <SignInPage visit={visit} refused={refused} providers={signInProviders} />;
    return { title: 'Sign in', body, script: 'passkey.js', hasSecret: true, cookies };
  },
});

/** The page does not show whom the link is for, because the link scanners of email providers open it too. */
export const showSignInLink = page({
  operationId: 'showSignInLink',
  route: 'GET /sign-in/link',
  lambda: 'sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  show: ({ visit, refused }) => ({ title: 'Sign in', body: <SignInLinkPage visit={visit} refused={refused} /> }),
});

export const submitSignInLink = form({
  operationId: 'submitSignInLink',
  route: 'POST /sign-in/link',
  lambda: 'sign-in',
  needs: 'visitor',
  access: {
    table: 'readWrite',
    writes: [sessions, sessionsOfAccount, signInLinks, linkOfAccount, providerIdentities, providerIdentitiesOfAccount],
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

export const getPasskeyRequest = page({
  operationId: 'getPasskeyRequest',
  route: 'GET /sign-in/passkey/options',
  lambda: 'sign-in',
  needs: 'visitor',
  access: { table: 'readWrite', writes: [challengeSecret], artifacts: 'none' },
  show: async (_, services) => makeJsonContent(await makePasskeyRequestOptions(services, { kind: 'signIn' })),
});

export const submitPasskey = form({
  operationId: 'submitPasskey',
  route: 'POST /sign-in/passkey',
  lambda: 'sign-in',
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

export const submitSignOut = form({
  operationId: 'submitSignOut',
  route: 'POST /sign-out',
  lambda: 'sign-in',
  needs: 'account',
  inCompanySession: true,
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [sessions, sessionsOfAccount, auditRecords], artifacts: 'none' },
  fields: returnQuery,
  page: 'showSignIn',
  async submit({ visit, fields }, services) {
    const { session, person } = visit;
    await endSessions(services, person, ({ sessionId }) => sessionId === session.sessionId);
    const headers = { 'Clear-Site-Data': '"cache", "storage"' };
    // The next sign-in in this browser leads back to the page on which the person signed out.
    const returnTo = fields.return_to === undefined ? undefined : sanitizeReturnPath(fields.return_to, services.origin);
    return redirect(linkToSignIn(visit, returnTo), { headers, cookies: [expireSessionCookie()] });
  },
});

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

declare const BUILT_FRESH_ACTIONS: Readonly<Record<string, string>>;
export const showConfirm = page({
  operationId: 'showConfirm',
  route: 'GET /sign-in/confirm',
  lambda: 'sign-in',
  needs: 'account',
  inCompanySession: true,
  access: { table: 'read', artifacts: 'none' },
  query: returnQuery.extend({ action: z.string().optional() }),
  async show({ visit, query, refused }, services) {
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

export const showInvitation = page({
  operationId: 'showInvitation',
  route: 'GET /invitations',
  lambda: 'sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  show: ({ visit, refused }, { signInProviders }) => ({
    title: 'Join an organization',
    hasSecret: true,
    body: <InvitationPage visit={visit} refused={refused} providers={signInProviders} />,
  }),
});

export const submitInvitation = form({
  operationId: 'submitInvitation',
  route: 'POST /invitations',
  lambda: 'sign-in',
  needs: 'visitor',
  access: {
    table: 'readWrite',
    writes: [
      accounts,
      accountsByEmail,
      auditRecords,
      invitations,
      invitationsBySecret,
      memberships,
      membershipsOfAccount,
      organizations,
      sessions,
      sessionsOfAccount,
    ],
    artifacts: 'none',
  },
  fields: z.object({
    code: z.string(),
    name: z.string().default(''),
    provider: z.enum(DEPLOYMENT_PROVIDERS).optional(),
  }),
  page: 'showInvitation',
  async submit({ visit, fields: { code: secret, name, provider }, header }, services) {
    if (provider !== undefined) {
      if (!(await findOpenInvitation(services, secret))) throw invitationNotFound();
      const location = linkToProviderSignIn(visit, provider, { purpose: 'join' });
      return redirect(location, { cookies: [makeInvitationCookie(secret.trim())] });
    }
    if ('account' in visit) {
      const { organizationId } = await joinOrganization(services, { actor: visit.person, secret });
      return redirect(linkToOrganization({ ...visit, organizationId }));
    }
    const newSession = await joinAsNewPerson(services, { ...readSignInBrowser(visit, header), secret, name });
    return redirect(linkToAddPasskey(visit, '/'), { cookies: [makeSessionCookie(newSession)] });
  },
});
