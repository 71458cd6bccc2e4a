import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { personalTokens } from '#shared/model/organizations/personal-token.ts';
import { revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { linkToTokens } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitRevokeToken',
  route: 'POST /{organizationId}/settings/tokens/{tokenId}/revoke',
  needs: 'tokens:revokeOwn',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [personalTokens, auditRecords], artifacts: 'none' },
  page: 'showRevokeToken',
  async submit({ visit, caller, path: { tokenId } }, services) {
    await revokePersonalToken(services, { ...caller, tokenId });
    return redirect(linkToTokens(visit));
  },
});
