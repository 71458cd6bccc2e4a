import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkToAccount } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { endSessions } from '#shared/sign-in/sessions.ts';

export const handler = form({
  operationId: 'submitEndOtherSessions',
  route: 'POST /account/end-other-sessions',
  needs: 'account',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [sessions, sessionsOfAccount, auditRecords], artifacts: 'none' },
  page: 'showAccount',
  async submit({ visit }, services) {
    await endSessions(services, visit.person, ({ sessionId }) => sessionId !== visit.session.sessionId);
    return redirect(linkToAccount(visit));
  },
});
