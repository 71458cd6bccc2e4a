import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { shares, sharesOfProject } from '#shared/model/organizations/share.ts';
import { linkToShares } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { revokeShare } from '#shared/shares/revoke-shares.ts';

export const handler = form({
  operationId: 'submitRevokeShare',
  route: 'POST /{organizationId}/{projectId}/shares/{shareId}/revoke',
  needs: 'shares:write',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [shares, sharesOfProject, auditRecords], artifacts: 'none' },
  page: 'showShares',
  async submit({ visit, caller, path: { shareId } }, services) {
    await revokeShare(services, { ...caller, shareId });
    return redirect(linkToShares(visit));
  },
});
