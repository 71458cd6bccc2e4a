import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { shares, sharesOfProject } from '#shared/model/organizations/share.ts';
import { linkToShares } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { revokeShares } from '#shared/shares/revoke-shares.ts';

export const handler = form({
  operationId: 'submitRevokeShares',
  route: 'POST /{organizationId}/{projectId}/shares/revoke',
  needs: 'shares:revokeAny',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [shares, sharesOfProject, auditRecords], artifacts: 'none' },
  page: 'showRevokeShares',
  async submit({ visit, caller }, services) {
    await revokeShares(services, caller);
    return redirect(linkToShares(visit));
  },
});
