import { redirect } from '#shared/engine/http/content.ts';
import { leaveOrganization, ROWS_OF_REMOVAL } from '#shared/organizations/members.ts';
import { linkToHome } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitLeave',
  route: 'POST /{organizationId}/settings/leave',
  needs: 'members:leave',
  notFresh: 'revokes',
  access: {
    table: 'readWrite',
    writes: ROWS_OF_REMOVAL,
    artifacts: 'none',
  },
  page: 'showLeave',
  async submit({ visit, caller }, services) {
    await leaveOrganization(services, caller);
    return redirect(linkToHome(visit));
  },
});
