import { notFound, refuse } from '#shared/engine/errors.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showRevokeApiKey',
  route: 'GET /{organizationId}/settings/api-keys/{keyId}/revoke',
  needs: 'apiKeys:delete',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { keyId }, refused }, services) {
    const all = await listApiKeys(services, caller);
    const { label, lastFour } = all.find((key) => key.keyId === keyId) ?? refuse(notFound('API key'));
    return {
      title: `Revoke ${label}`,
      tab: 'API keys',
      body: (
        <QuestionPage
          question={`Revoke the API key ${label}?`}
          action={linkToOrganizationSettings(visit, 'api-keys', keyId, 'revoke')}
          refused={refused}
          yes="Revoke this key"
          back={linkToOrganizationSettings(visit, 'api-keys')}
        >
          The key that ends with <code>{lastFour}</code> will be refused immediately. Reporters and scripts that use it
          will stop working. This cannot be undone.
        </QuestionPage>
      ),
    };
  },
});
