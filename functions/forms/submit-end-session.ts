import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkToAccount } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { endSessions } from '#shared/sign-in/sessions.ts';

export const handler = form({
  operationId: 'submitEndSession',
  route: 'POST /account/end-session',
  needs: 'account',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [sessions, sessionsOfAccount, auditRecords], artifacts: 'none' },
  fields: z.object({ sessionId: id }),
  page: 'showAccount',
  async submit({ visit, fields }, services) {
    await endSessions(services, visit.person, ({ sessionId }) => sessionId === fields.sessionId);
    return redirect(linkToAccount(visit));
  },
});
