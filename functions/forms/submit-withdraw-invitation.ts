import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { withdrawInvitation } from '#shared/organizations/invitations.ts';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

/** The email address is a form field, because URLs are logged. */
export const handler = form({
  operationId: 'submitWithdrawInvitation',
  route: 'POST /{organizationId}/settings/members/withdraw',
  needs: 'invitations:withdraw',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [invitations, invitationsBySecret, auditRecords], artifacts: 'none' },
  fields: z.object({ email: z.string() }),
  page: 'showMembers',
  async submit({ visit, caller, fields: { email } }, services) {
    await withdrawInvitation(services, { ...caller, email });
    return redirect(linkToOrganizationSettings(visit, 'members'));
  },
});
