import { findIntegration } from '#shared/issues/find-integration.ts';
import { TRACKERS } from '#shared/model/issues/tracker-kind.ts';
import { makeIntegrationBreadcrumbs } from '#shared/pages/issues/integrations-page.tsx';
import { linkToIntegrations } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showRemoveIntegration',
  route: 'GET /{organizationId}/settings/integrations/{integrationId}/remove',
  needs: 'integrations:change',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { integrationId }, refused }, services) {
    const integration = await findIntegration(services, { ...caller, integrationId });
    const title = `Remove ${integration.name}`;
    return {
      title,
      tab: 'Integrations',
      breadcrumbs: makeIntegrationBreadcrumbs(visit, title),
      body: (
        <QuestionPage
          question={`Remove the connection ${integration.name}?`}
          action={linkToIntegrations(visit, integrationId, 'remove')}
          refused={refused}
          yes="Remove the connection"
          back={linkToIntegrations(visit)}
        >
          Rundown deletes the stored token. Nobody can create or link issues through this connection any more. Linked
          issues stay on the pages of their tests, but their state is no longer updated. Nothing changes in{' '}
          {TRACKERS[integration.kind].name}.
        </QuestionPage>
      ),
    };
  },
});
