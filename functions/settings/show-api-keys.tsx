import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { ApiKeysPage } from '#shared/pages/organization/api-keys-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showApiKeys',
  route: 'GET /{organizationId}/settings/api-keys',
  needs: 'apiKeys:list',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller }, services) {
    const keys = await listApiKeys(services, caller);
    return { title: 'API keys', tab: 'API keys', body: <ApiKeysPage visit={visit} keys={keys} /> };
  },
});
