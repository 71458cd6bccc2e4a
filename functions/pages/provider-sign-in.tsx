import * as z from 'zod';
import { flowLost } from '#shared/company-sign-in/errors.ts';
import { refuse } from '#shared/engine/errors.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { isFromHere } from '#shared/engine/http/same-origin.ts';
import { accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { DEPLOYMENT_PROVIDERS } from '#shared/model/sign-in/deployment-provider.ts';
import { providerIdentities, providerIdentitiesOfAccount } from '#shared/model/sign-in/provider-identity.ts';
import { type Session, sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { StartProviderSignInPage } from '#shared/pages/account/provider-sign-in-page.tsx';
import { linkToAccount, linkToAddPasskey, linkToInvitation, linkToProviderSignIn } from '#shared/pages/shell/hrefs.ts';
import { connectSignInSecrets } from '#shared/platform/connect.ts';
import { page } from '#shared/platform/page.ts';
import { confirmByProvider, signInByProvider } from '#shared/provider-sign-in/admit.ts';
import { connectByPerson } from '#shared/provider-sign-in/connect-identity.ts';
import { signInBeforeConnecting } from '#shared/provider-sign-in/errors.ts';
import {
  findDeploymentProvider,
  findProviderPurpose,
  finishProviderFlow,
  type ProviderPurpose,
  startProviderFlow,
} from '#shared/provider-sign-in/flow.ts';
import {
  expireFlowCookie,
  expireInvitationCookie,
  makeFlowCookie,
  makeSessionCookie,
  readCookies,
} from '#shared/sign-in/cookies.ts';
import { findSession, planSignInRedirect, readSignInBrowser } from '#shared/sign-in/signed-in.ts';

const signInSecrets = connectSignInSecrets();
const PROVIDER = { provider: z.enum(DEPLOYMENT_PROVIDERS) };
const purposeQuery = z.object({ purpose: z.enum(['join', 'confirm']).optional() });

export const showProviderSignIn = page({
  operationId: 'showProviderSignIn',
  route: 'GET /sign-in/with/{provider}',
  lambda: 'provider-sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  path: PROVIDER,
  query: purposeQuery,
  show({ visit, path, query: { purpose } }, services) {
    const provider = findDeploymentProvider(services, path.provider);
    return { title: 'Sign in', body: <StartProviderSignInPage visit={visit} provider={provider} purpose={purpose} /> };
  },
});

/** Only a link on a page of this service starts a sign-in, so that a link from a stranger signs nobody in (login CSRF). */
export const startProviderSignIn = page({
  operationId: 'startProviderSignIn',
  route: 'GET /sign-in/with/{provider}/start',
  lambda: 'provider-sign-in',
  needs: 'visitor',
  access: { table: 'readWrite', writes: [challengeSecret], artifacts: 'none', signInSecrets: 'read' },
  path: PROVIDER,
  query: purposeQuery,
  async show({ visit, path: { provider: providerId }, query, header }, services) {
    if (!isFromHere(header, services.origin)) return redirect(linkToProviderSignIn(visit, providerId));
    const { invitation } = readCookies(header('cookie'));
    const purpose = choosePurpose(query.purpose, { session: findSession(visit), invitation });
    const flow = await startProviderFlow({ ...services, secrets: signInSecrets() }, { providerId, purpose });
    return redirect(flow.location, { cookies: [makeFlowCookie(flow.challenge)] });
  },
});

export const connectProviderIdentity = page({
  operationId: 'connectProviderIdentity',
  route: 'GET /sign-in/with/{provider}/connect',
  lambda: 'provider-sign-in',
  needs: 'account',
  fresh: 'connect another way to sign in',
  access: { table: 'readWrite', writes: [challengeSecret], artifacts: 'none', signInSecrets: 'read' },
  path: PROVIDER,
  async show({ visit, path: { provider: providerId }, header }, services) {
    if (!isFromHere(header, services.origin)) return redirect(linkToAccount(visit));
    const purpose = { kind: 'connect', session: visit.session } as const;
    const flow = await startProviderFlow({ ...services, secrets: signInSecrets() }, { providerId, purpose });
    return redirect(flow.location, { cookies: [makeFlowCookie(flow.challenge)] });
  },
});

/** The provider sends people here. Whatever the address says counts only for the browser that has the cookie. */
export const finishProviderSignIn = page({
  operationId: 'finishProviderSignIn',
  route: 'GET /sign-in/with/{provider}/callback',
  lambda: 'provider-sign-in',
  needs: 'visitor',
  access: {
    table: 'readWrite',
    writes: [
      accounts,
      accountsByEmail,
      auditRecords,
      challengeSecret,
      invitations,
      invitationsBySecret,
      memberships,
      membershipsOfAccount,
      organizations,
      providerIdentities,
      providerIdentitiesOfAccount,
      sessions,
      sessionsOfAccount,
      usedChallenges,
    ],
    artifacts: 'none',
    signInSecrets: 'read',
  },
  path: PROVIDER,
  query: z.looseObject({}),
  async show({ visit, path: { provider: providerId }, pathWithQuery, header }, services) {
    const cookie = header('cookie');
    const { flow: challenge = refuse(flowLost()), invitation } = readCookies(cookie);
    const kind = findProviderPurpose(challenge) ?? refuse(flowLost());
    const purpose = findPurpose(kind, { session: findSession(visit), invitation }) ?? refuse(flowLost());
    const query = pathWithQuery.slice(pathWithQuery.indexOf('?') + 1);
    const place = { providerId, purpose, challenge, query };
    const proof = await finishProviderFlow({ ...services, secrets: signInSecrets() }, place);
    if (purpose.kind === 'connect') {
      const actor = 'account' in visit && !visit.session.company ? visit.person : refuse(signInBeforeConnecting());
      const renewedSession = await connectByPerson(services, { ...proof, actor, session: purpose.session });
      const cookies = [makeSessionCookie(renewedSession), expireFlowCookie()];
      return redirect(`${linkToAccount(visit)}#providers`, { cookies });
    }
    const request = { ...proof, browser: readSignInBrowser(visit, header) };
    const { newSession, isNew } =
      purpose.kind === 'confirm'
        ? { newSession: await confirmByProvider(services, { ...request, session: purpose.session }), isNew: false }
        : await signInByProvider(services, {
            ...request,
            invitation: purpose.kind === 'join' ? purpose.invitation : undefined,
          });
    const { location, cookies } = planSignInRedirect(services, { visit, started: newSession, cookie });
    const expiredCookies = [expireFlowCookie(), ...(invitation === undefined ? [] : [expireInvitationCookie()])];
    const options = { cookies: [...cookies, ...expiredCookies] };
    if (isNew) return redirect(linkToAddPasskey(visit, '/'), options);
    // Who has an account sees first which one, and then accepts the invitation with it.
    return redirect(purpose.kind === 'join' ? linkToInvitation(visit, purpose.invitation) : location, options);
  },
});

interface Holder {
  readonly session: Session | undefined;
  readonly invitation: string | undefined;
}

/** Whoever has nothing to confirm and no invitation signs in. A session of company sign-in confirms with its company. */
function choosePurpose(kind: 'join' | 'confirm' | undefined, { session, invitation }: Holder): ProviderPurpose {
  const ownSession = session?.company ? undefined : session;
  return (kind && findPurpose(kind, { session: ownSession, invitation })) ?? { kind: 'signIn' };
}

function findPurpose(kind: ProviderPurpose['kind'], { session, invitation }: Holder): ProviderPurpose | undefined {
  switch (kind) {
    case 'signIn':
      return { kind };
    case 'join':
      return invitation === undefined ? undefined : { kind, invitation };
    case 'confirm':
    case 'connect':
      return session && { kind, session };
  }
}
