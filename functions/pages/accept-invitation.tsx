import * as z from 'zod';
import { parseAccountId } from '#shared/access/actor.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { DEPLOYMENT_PROVIDERS } from '#shared/model/sign-in/deployment-provider.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { loadActorNames } from '#shared/organizations/actor-names.ts';
import { invitationNotFound } from '#shared/organizations/errors.ts';
import { findOpenInvitation, joinOrganization } from '#shared/organizations/join-organization.ts';
import { InvitationPage, type ShownInvitation } from '#shared/pages/account/invitation-page.tsx';
import { linkToAddPasskey, linkToOrganization, linkToProviderSignIn } from '#shared/pages/shell/hrefs.ts';
import { findSentValue } from '#shared/pages/shell/refused-form.tsx';
import type { View } from '#shared/pages/shell/view.ts';
import { form, page } from '#shared/platform/page.ts';
import type { Services } from '#shared/services.ts';
import { joinAsNewPerson } from '#shared/sign-in/accept-invitation.ts';
import { makeInvitationCookie, makeSessionCookie } from '#shared/sign-in/cookies.ts';
import { readSignInBrowser } from '#shared/sign-in/signed-in.ts';

export const showInvitation = page({
  operationId: 'showInvitation',
  route: 'GET /invitations',
  lambda: 'sign-in',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, refused }, services) {
    const invitation = await findShownInvitation(services, findSentValue(refused, 'submitInvitation', 'code'));
    return makeInvitationView(services, { visit, refused, invitation });
  },
});

type InvitationProps = Omit<Parameters<typeof InvitationPage>[0], 'providers'>;

const makeInvitationView = ({ signInProviders }: Services, props: InvitationProps): View => ({
  title: 'Join an organization',
  hasSecret: true,
  body: <InvitationPage {...props} providers={signInProviders} />,
});

async function findShownInvitation(services: Services, code = ''): Promise<ShownInvitation | undefined> {
  const openInvitation = await findOpenInvitation(services, code);
  if (!openInvitation) return undefined;
  const { invitedBy, role, email } = openInvitation.invitation;
  const nameOf = await loadActorNames(services, [invitedBy]);
  const inviter = parseAccountId(invitedBy) === undefined ? undefined : nameOf(invitedBy);
  return { code, organizationName: openInvitation.organization.name, inviter, role, email };
}

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
    /** Only shows the invitation. */
    step: z.literal('look').optional(),
  }),
  page: 'showInvitation',
  async submit({ visit, fields: { code: secret, name, provider, step }, header }, services) {
    if (step === 'look') {
      const invitation = await findShownInvitation(services, secret);
      if (!invitation) throw invitationNotFound();
      return makeInvitationView(services, { visit, refused: undefined, invitation });
    }
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
