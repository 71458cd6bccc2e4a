import * as z from 'zod';
import { listConnectedOrganizations } from '#shared/company-sign-in/identities.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { providerIdentities, providerIdentitiesOfAccount } from '#shared/model/sign-in/provider-identity.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { listOwnGrants, revokeOwnGrant, revokeOwnGrants } from '#shared/oauth/grants.ts';
import { listReachableOrganizations } from '#shared/organizations/own-organizations.ts';
import { AccountPage } from '#shared/pages/account/account-page.tsx';
import { ConfirmationCodePage } from '#shared/pages/account/confirm-page.tsx';
import { linkToAccount, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import { form, page } from '#shared/platform/page.ts';
import { createOwnCode } from '#shared/sign-in/confirmation-codes.ts';
import { expireSessionCookie, makeSessionCookie, makeThemeCookie, THEMES } from '#shared/sign-in/cookies.ts';
import { listPasskeys, removePasskey } from '#shared/sign-in/passkeys.ts';
import { disconnectIdentity, listProviderIdentities } from '#shared/sign-in/provider-identities.ts';
import { endSessions, isIdle, isVisibleIn, listSessions } from '#shared/sign-in/sessions.ts';

export const showAccount = page({
  operationId: 'showAccount',
  route: 'GET /account',
  lambda: 'settings',
  needs: 'account',
  inCompanySession: true,
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, refused }, services) {
    const [storedSessions, passkeys, identities, organizations, grants] = await Promise.all([
      listSessions(services, visit.account),
      listPasskeys(services, visit.account),
      listProviderIdentities(services, visit.account),
      listReachableOrganizations(services, visit.person),
      listOwnGrants(services, visit.person),
    ]);
    const companies = organizations.filter(({ hasCompanySignIn }) => hasCompanySignIn);
    const connectedIds = await listConnectedOrganizations(services, { ...visit.person, organizations: companies });
    const { origin, signInProviders } = services;
    const now = services.now();
    // An organization manages the account, and its provider alone signs the person in.
    const providers = visit.account.managedBy === undefined ? signInProviders : [];
    const sessions = storedSessions.filter((session) => !isIdle(session, now) && isVisibleIn(visit.session, session));
    const waysIn = { sessions, passkeys, providers, identities };
    const props = { visit, ...waysIn, organizations, connected: connectedIds, grants, refused, origin, now };
    return { title: 'Your account', body: <AccountPage {...props} /> };
  },
});

export const submitOwnCode = form({
  operationId: 'submitOwnCode',
  route: 'POST /account',
  needs: 'account',
  fresh: 'create a confirmation code',
  access: { table: 'readWrite', writes: [confirmationCodes, auditRecords], artifacts: 'none' },
  page: 'showAccount',
  async submit({ visit }, services) {
    const createdCode = await createOwnCode(services, { actor: visit.person });
    const back = { name: 'Back to your account', href: linkToAccount(visit) };
    const body = <ConfirmationCodePage created={createdCode} back={back} />;
    return { title: 'Confirmation code', hasSecret: true, body };
  },
});

export const submitTheme = form({
  operationId: 'submitTheme',
  route: 'POST /account/theme',
  needs: 'account',
  inCompanySession: true,
  access: { table: 'read', artifacts: 'none' },
  fields: z.object({ theme: z.enum(THEMES) }),
  page: 'showAccount',
  submit: ({ visit, fields }) => redirect(linkToAccount(visit), { cookies: [makeThemeCookie(fields.theme)] }),
});

export const submitEndSession = form({
  operationId: 'submitEndSession',
  route: 'POST /account/end-session',
  needs: 'account',
  inCompanySession: true,
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [sessions, sessionsOfAccount, auditRecords], artifacts: 'none' },
  fields: z.object({ sessionId: id }),
  page: 'showAccount',
  async submit({ visit, fields }, services) {
    const { session: own } = visit;
    await endSessions(services, visit.person, (one) => one.sessionId === fields.sessionId && isVisibleIn(own, one));
    return redirect(linkToAccount(visit));
  },
});

export const submitEndOtherSessions = form({
  operationId: 'submitEndOtherSessions',
  route: 'POST /account/end-other-sessions',
  needs: 'account',
  inCompanySession: true,
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [sessions, sessionsOfAccount, auditRecords], artifacts: 'none' },
  page: 'showAccount',
  async submit({ visit }, services) {
    const { session: own } = visit;
    await endSessions(services, visit.person, (one) => one.sessionId !== own.sessionId && isVisibleIn(own, one));
    return redirect(linkToAccount(visit));
  },
});

export const submitSignOutEverywhere = form({
  operationId: 'submitSignOutEverywhere',
  route: 'POST /account/sign-out-everywhere',
  needs: 'account',
  inCompanySession: true,
  notFresh: 'revokes',
  access: {
    table: 'readWrite',
    writes: [sessions, sessionsOfAccount, grants, grantsOfAccount, auditRecords],
    artifacts: 'none',
  },
  // Browsers do not send an unchecked checkbox.
  fields: z.object({ applications: z.literal('end').optional() }),
  page: 'showAccount',
  async submit({ visit, fields: { applications } }, services) {
    if (applications !== undefined) await revokeOwnGrants(services, visit.person);
    await endSessions(services, visit.person, (one) => isVisibleIn(visit.session, one));
    const headers = { 'Clear-Site-Data': '"cache", "storage"' };
    return redirect(linkToSignIn(visit), { headers, cookies: [expireSessionCookie()] });
  },
});

export const submitEndApplication = form({
  operationId: 'submitEndApplication',
  route: 'POST /account/end-application',
  needs: 'account',
  inCompanySession: true,
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [grants, grantsOfAccount, auditRecords], artifacts: 'none' },
  fields: z.object({ grant: id }),
  page: 'showAccount',
  async submit({ visit, fields: { grant: hash } }, services) {
    await revokeOwnGrant(services, { actor: visit.person, hash });
    return redirect(`${linkToAccount(visit)}#applications`);
  },
});

export const submitRemovePasskey = form({
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
      ? redirect(linkToAccount(visit), { cookies: [makeSessionCookie(renewedSession)] })
      : redirect(linkToSignIn(visit), { cookies: [expireSessionCookie()] });
  },
});

export const submitDisconnectIdentity = form({
  operationId: 'submitDisconnectIdentity',
  route: 'POST /account/identities/disconnect',
  needs: 'account',
  fresh: 'disconnect a way to sign in',
  access: {
    table: 'readWrite',
    writes: [accounts, providerIdentities, providerIdentitiesOfAccount, sessions, sessionsOfAccount, auditRecords],
    artifacts: 'none',
  },
  fields: z.object({ identity: id }),
  page: 'showAccount',
  async submit({ visit, fields: { identity } }, services) {
    const { person: actor, session } = visit;
    const renewedSession = await disconnectIdentity(services, { actor, session, identity });
    return renewedSession
      ? redirect(`${linkToAccount(visit)}#providers`, { cookies: [makeSessionCookie(renewedSession)] })
      : redirect(linkToSignIn(visit), { cookies: [expireSessionCookie()] });
  },
});
