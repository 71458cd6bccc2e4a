import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/membership.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth-grant.ts';
import { organizations } from '#shared/model/organization.ts';
import { leaveOrganization } from '#shared/organizations/members.ts';
import { homeHref } from '#shared/pages/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitLeave',
  route: 'POST /{organizationId}/settings/leave',
  needs: 'members:leave',
  access: {
    table: 'readWrite',
    writes: [
      memberships,
      membershipsOfAccount,
      organizations,
      grants,
      grantsOfAccount,
      auditRecords,
      invitations,
      invitationsBySecret,
    ],
    artifacts: 'none',
  },
  fields: z.object({}),
  page: 'showLeave',
  async submit({ visit }, services) {
    const { organizationId, person: actor } = visit;
    await leaveOrganization(services, { organizationId, actor });
    return redirect(homeHref(visit));
  },
});
