import { findIntegration } from '#shared/issues/find-integration.ts';
import { getConnectionFormName } from '#shared/model/issues/tracker-kind.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { IntegrationPage } from '#shared/pages/issues/integration-form.tsx';
import { makeIntegrationBreadcrumbs } from '#shared/pages/issues/integrations-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showEditIntegration',
  route: 'GET /{organizationId}/settings/integrations/{integrationId}/edit',
  needs: 'integrations:change',
  fresh: 'change the connection to an issue tracker',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { integrationId }, refused }, services) {
    const [integration, projects] = await Promise.all([
      findIntegration(services, { ...caller, integrationId }),
      listOrganizationProjects(services, caller),
    ]);
    const title = `Change ${integration.name}`;
    const tracker = getConnectionFormName(integration);
    return {
      title,
      tab: 'Integrations',
      breadcrumbs: makeIntegrationBreadcrumbs(visit, title),
      body: <IntegrationPage {...{ visit, tracker, integration, projects, refused }} />,
    };
  },
});
