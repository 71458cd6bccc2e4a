import { redirect } from '#shared/engine/http/content.ts';
import { apiKeys, apiKeysOfOrganization } from '#shared/model/organizations/api-key.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitRevokeApiKey',
  route: 'POST /{organizationId}/settings/api-keys/{keyId}/revoke',
  needs: 'apiKeys:delete',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [apiKeys, apiKeysOfOrganization, auditRecords], artifacts: 'none' },
  page: 'showRevokeApiKey',
  async submit({ visit, caller, path: { keyId } }, services) {
    await deleteApiKey(services, { ...caller, keyId });
    return redirect(linkToOrganizationSettings(visit, 'api-keys'));
  },
});
