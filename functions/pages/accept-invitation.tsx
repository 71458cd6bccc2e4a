import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { DEPLOYMENT_PROVIDERS } from '#shared/model/sign-in/deployment-provider.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { invitationNotFound } from '#shared/organizations/errors.ts';
import { findOpenInvitation, joinOrganization } from '#shared/organizations/join-organization.ts';
import { InvitationPage } from '#shared/pages/account/invitation-page.tsx';
import { linkToAddPasskey, linkToOrganization, linkToProviderSignIn } from '#shared/pages/shell/hrefs.ts';
import { form, page } from '#shared/platform/page.ts';
import { joinAsNewPerson } from '#shared/sign-in/accept-invitation.ts';
import { makeInvitationCookie, makeSessionCookie } from '#shared/sign-in/cookies.ts';
import { readSignInBrowser } from '#shared/sign-in/signed-in.ts';

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
