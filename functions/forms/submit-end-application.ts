import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { revokeOwnGrant } from '#shared/oauth/grants.ts';
import { linkToAccount } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitEndApplication',
  route: 'POST /account/end-application',
  needs: 'account',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [grants, grantsOfAccount, auditRecords], artifacts: 'none' },
  fields: z.object({ grant: id }),
  page: 'showAccount',
  async submit({ visit, fields: { grant: hash } }, services) {
    await revokeOwnGrant(services, { actor: visit.person, hash });
    return redirect(`${linkToAccount(visit)}#applications`);
  },
});
