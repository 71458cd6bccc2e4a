import * as z from 'zod';
import { admit, confirmByCompany } from '#shared/company-sign-in/admit.ts';
import { connectIdentity } from '#shared/company-sign-in/connect-identity.ts';
import { findCompanyByAddress } from '#shared/company-sign-in/domains.ts';
import { flowLost, linkNeedsOwnSession, noCompanyForAddress, noCompanySignIn } from '#shared/company-sign-in/errors.ts';
import {
  type FlowPurpose,
  findChallengeKind,
  finishFlow,
  readPublicProvider,
  startFlow,
} from '#shared/company-sign-in/flow.ts';
import { refuse } from '#shared/engine/errors.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { isFromHere } from '#shared/engine/http/same-origin.ts';
import { id } from '#shared/model/names.ts';
import { accounts, companyAccounts } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { companyIdentities } from '#shared/model/sign-in/company-provider.ts';
import { type Session, sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { ChooseCompanyPage, StartCompanySignInPage } from '#shared/pages/account/company-sign-in-page.tsx';
import { linkToAccount, linkToCompanySignIn } from '#shared/pages/shell/hrefs.ts';
import { connectProviders } from '#shared/platform/connect.ts';
import { form, page } from '#shared/platform/page.ts';
import { expireFlowCookie, makeFlowCookie, makeReturnCookie, readCookies } from '#shared/sign-in/cookies.ts';
import { returnQuery, sanitizeReturnPath } from '#shared/sign-in/return-path.ts';
import { findSession, planSignInRedirect, readSignInBrowser } from '#shared/sign-in/signed-in.ts';

const providers = connectProviders();

export const showChooseCompany = page({
  operationId: 'showChooseCompany',
  route: 'GET /sign-in/company',
  lambda: 'company-sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ organization: z.string().max(200).optional() }),
  async show({ visit, query: { organization }, refused }, services) {
    const organizationId = organization?.trim();
    if (organizationId === undefined)
      return { title: 'Sign in', body: <ChooseCompanyPage visit={visit} refused={refused} problem={undefined} /> };
    const provider = await readPublicProvider(services, organizationId);
    if (provider) return redirect(linkToCompanySignIn(visit, organizationId));
    const problem = noCompanySignIn().message;
    return { title: 'Sign in', body: <ChooseCompanyPage visit={visit} refused={refused} problem={problem} /> };
  },
});

/** Leads to a page with a button, so that nothing starts by itself. */
export const submitChooseCompany = form({
  operationId: 'submitChooseCompany',
  route: 'POST /sign-in/company',
  lambda: 'company-sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  fields: z.object({ email: z.string() }),
  page: 'showChooseCompany',
  async submit({ visit, fields: { email } }, services) {
    const organizationId = (await findCompanyByAddress(services, email)) ?? refuse(noCompanyForAddress());
    return redirect(linkToCompanySignIn(visit, organizationId));
  },
});

export const showCompanySignIn = page({
  operationId: 'showCompanySignIn',
  route: 'GET /sign-in/company/{company}',
  lambda: 'company-sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  path: { company: id },
  query: returnQuery,
  async show({ visit, path: { company: organizationId }, query }, services) {
    const provider = (await readPublicProvider(services, organizationId)) ?? refuse(noCompanySignIn());
    const returnTo = sanitizeReturnPath(query.return_to, services.origin);
    const cookies = query.return_to === undefined ? [] : [makeReturnCookie(returnTo)];
    const body = <StartCompanySignInPage {...{ visit, organizationId, provider }} />;
    return { title: 'Sign in', body, hasSecret: true, cookies };
  },
});

/** Only a link on a page of this service starts a sign-in, so that a link from a stranger signs nobody in (login CSRF). */
export const startCompanySignIn = page({
  operationId: 'startCompanySignIn',
  route: 'GET /sign-in/company/{company}/start',
  lambda: 'company-sign-in',
  needs: 'visitor',
  access: { table: 'readWrite', writes: [challengeSecret], artifacts: 'none', providers: 'read' },
  path: { company: id },
  query: z.object({ confirm: z.literal('true').optional() }),
  async show({ visit, path: { company: organizationId }, query, header }, services) {
    if (!isFromHere(header, services.origin)) return redirect(linkToCompanySignIn(visit, organizationId));
    const session = findSession(visit);
    const purpose: FlowPurpose =
      query.confirm && session?.company?.organizationId === organizationId
        ? { kind: 'confirm', session }
        : { kind: 'signIn' };
    const flow = await startFlow({ ...services, secrets: providers() }, { organizationId, purpose });
    return redirect(flow.location, { cookies: [makeFlowCookie(flow.challenge)] });
  },
});

export const connectCompany = page({
  operationId: 'connectCompany',
  route: 'GET /sign-in/company/{company}/connect',
  lambda: 'company-sign-in',
  needs: 'account',
  fresh: 'connect a company sign-in',
  access: { table: 'readWrite', writes: [challengeSecret], artifacts: 'none', providers: 'read' },
  path: { company: id },
  async show({ visit, path: { company: organizationId }, header }, services) {
    if (!isFromHere(header, services.origin)) return redirect(linkToAccount(visit));
    const purpose = { kind: 'link', session: visit.session } as const;
    const flow = await startFlow({ ...services, secrets: providers() }, { organizationId, purpose });
    return redirect(flow.location, { cookies: [makeFlowCookie(flow.challenge)] });
  },
});

/** The provider sends people here. Whatever the address says counts only for the browser that has the cookie. */
export const finishCompanySignIn = page({
  operationId: 'finishCompanySignIn',
  route: 'GET /sign-in/company/{company}/callback',
  lambda: 'company-sign-in',
  needs: 'visitor',
  access: {
    table: 'readWrite',
    writes: [
      accounts,
      auditRecords,
      challengeSecret,
      companyAccounts,
      companyIdentities,
      invitations,
      invitationsBySecret,
      memberships,
      membershipsOfAccount,
      organizations,
      sessions,
      sessionsOfAccount,
      usedChallenges,
    ],
    artifacts: 'none',
    providers: 'read',
  },
  path: { company: id },
  query: z.looseObject({}),
  async show({ visit, path: { company: organizationId }, pathWithQuery, header }, services) {
    const cookie = header('cookie');
    const challenge = readCookies(cookie).flow ?? refuse(flowLost());
    const purpose = readPurpose(challenge, findSession(visit));
    const query = pathWithQuery.slice(pathWithQuery.indexOf('?') + 1);
    const proof = await finishFlow(
      { ...services, secrets: providers() },
      { organizationId, purpose, challenge, query },
    );
    const browser = readSignInBrowser(visit, header);
    if (purpose.kind === 'link') {
      const actor = 'account' in visit && !visit.session.company ? visit.person : refuse(linkNeedsOwnSession());
      await connectIdentity(services, { ...proof, actor });
      return redirect(`${linkToAccount(visit)}#company-sign-in`, { cookies: [expireFlowCookie()] });
    }
    const signIn =
      purpose.kind === 'confirm'
        ? await confirmByCompany(services, { ...proof, browser, session: purpose.session })
        : await admit(services, { ...proof, browser });
    const { location, cookies } = planSignInRedirect(services, { visit, started: signIn, cookie });
    return redirect(location, { cookies: [...cookies, expireFlowCookie()] });
  },
});

function readPurpose(challenge: string, session: Session | undefined): FlowPurpose {
  const kind = findChallengeKind(challenge);
  if (kind === 'signIn') return { kind };
  return session && kind ? { kind, session } : refuse(flowLost());
}
