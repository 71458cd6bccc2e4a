import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { revokeMemberGrant } from '#shared/oauth/grants.ts';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitEndMemberApplication',
  route: 'POST /{organizationId}/settings/members/{accountId}/end-application',
  needs: 'grants:revokeAny',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [grants, grantsOfAccount, auditRecords], artifacts: 'none' },
  fields: z.object({ grant: id }),
  page: 'showMember',
  async submit({ visit, caller, path: { accountId }, fields: { grant: hash } }, services) {
    await revokeMemberGrant(services, { ...caller, accountId, hash });
    return redirect(linkToOrganizationSettings(visit, 'members', accountId));
  },
});
