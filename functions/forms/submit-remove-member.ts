import { redirect } from '#shared/engine/http/content.ts';
import { ROWS_OF_REMOVAL, removeMember } from '#shared/organizations/members.ts';
import { linkToHome, linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitRemoveMember',
  route: 'POST /{organizationId}/settings/members/{accountId}/remove',
  needs: 'members:remove',
  notFresh: 'revokes',
  access: {
    table: 'readWrite',
    writes: ROWS_OF_REMOVAL,
    artifacts: 'none',
  },
  page: 'showMember',
  async submit({ visit, caller, path: { accountId } }, services) {
    await removeMember(services, { ...caller, accountId });
    const isOwn = accountId === visit.person.accountId;
    return redirect(isOwn ? linkToHome(visit) : linkToOrganizationSettings(visit, 'members'));
  },
});
