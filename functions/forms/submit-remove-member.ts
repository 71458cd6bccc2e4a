import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { ROWS_OF_REMOVAL, removeMember } from '#shared/organizations/members.ts';
import { homeHref, organizationPageHref } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitRemoveMember',
  route: 'POST /{organizationId}/settings/members/{accountId}/remove',
  needs: 'members:remove',
  access: {
    table: 'readWrite',
    writes: ROWS_OF_REMOVAL,
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
