import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/membership.ts';
import { id } from '#shared/model/names.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth-grant.ts';
import { organizations } from '#shared/model/organization.ts';
import { removeMember } from '#shared/organizations/members.ts';
import { homeHref, organizationPageHref } from '#shared/pages/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitRemoveMember',
  route: 'POST /{organizationId}/settings/members/{accountId}/remove',
  needs: 'members:remove',
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
  path: { accountId: id },
  fields: z.object({}),
  page: 'showMember',
  async submit({ visit, path: { accountId } }, services) {
    const { organizationId, person: actor } = visit;
    await removeMember(services, { organizationId, actor, accountId });
    const isOwn = accountId === actor.accountId;
    return redirect(isOwn ? homeHref(visit) : organizationPageHref(visit, 'settings', 'members'));
  },
});
