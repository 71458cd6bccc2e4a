import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { revokeOwnGrants } from '#shared/oauth/grants.ts';
import { linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { expireSessionCookie } from '#shared/sign-in/cookies.ts';
import { endSessions } from '#shared/sign-in/sessions.ts';

export const handler = form({
  operationId: 'submitSignOutEverywhere',
  route: 'POST /account/sign-out-everywhere',
  needs: 'account',
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
    await endSessions(services, visit.person, () => true);
    const headers = { 'Clear-Site-Data': '"cache", "storage"' };
    return redirect(linkToSignIn(visit), { headers, cookies: [expireSessionCookie()] });
  },
});
