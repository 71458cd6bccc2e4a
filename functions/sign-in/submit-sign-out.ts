import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { expireSessionCookie } from '#shared/sign-in/cookies.ts';
import { returnQuery, sanitizeReturnPath } from '#shared/sign-in/return-path.ts';
import { endSessions } from '#shared/sign-in/sessions.ts';

export const handler = form({
  operationId: 'submitSignOut',
  route: 'POST /sign-out',
  needs: 'account',
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
