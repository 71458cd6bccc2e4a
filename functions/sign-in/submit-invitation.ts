import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { joinOrganization } from '#shared/organizations/join-organization.ts';
import { linkToAddPasskey, linkToOrganization } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { joinAsNewPerson } from '#shared/sign-in/accept-invitation.ts';
import { makeSessionCookie } from '#shared/sign-in/cookies.ts';
import { readSignInBrowser } from '#shared/sign-in/signed-in.ts';

export const handler = form({
  operationId: 'submitInvitation',
  route: 'POST /invitations',
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
  fields: z.object({ code: z.string(), name: z.string().default('') }),
  page: 'showInvitation',
  async submit({ visit, fields: { code: secret, name }, header }, services) {
    if ('account' in visit) {
      const { organizationId } = await joinOrganization(services, { actor: visit.person, secret });
      return redirect(linkToOrganization({ ...visit, organizationId }));
    }
    const newSession = await joinAsNewPerson(services, { ...readSignInBrowser(visit, header), secret, name });
    return redirect(linkToAddPasskey(visit, '/'), { cookies: [makeSessionCookie(newSession.secret)] });
  },
});
