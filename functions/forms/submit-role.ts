import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, ROLES } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { changeRole } from '#shared/organizations/members.ts';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitRole',
  route: 'POST /{organizationId}/settings/members/{accountId}',
  needs: 'members:changeRole',
  fresh: 'change the access of a member',
  access: {
    table: 'readWrite',
    writes: [memberships, organizations, invitations, invitationsBySecret, auditRecords],
    artifacts: 'none',
  },
  fields: z.object({ role: z.enum(ROLES) }),
  page: 'showMember',
  async submit({ visit, caller, path: { accountId }, fields: { role } }, services) {
    await changeRole(services, { ...caller, accountId, role });
    return redirect(linkToOrganizationSettings(visit, 'members'));
  },
});
