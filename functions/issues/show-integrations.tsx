import { listIntegrations } from '#shared/issues/find-integration.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { IntegrationsPage } from '#shared/pages/issues/integrations-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showIntegrations',
  route: 'GET /{organizationId}/settings/integrations',
  needs: 'integrations:change',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const [integrations, projects] = await Promise.all([
      listIntegrations(services, caller),
      listOrganizationProjects(services, caller),
    ]);
    const body = <IntegrationsPage {...{ visit, integrations, projects, refused }} now={services.now()} />;
    return { title: 'Integrations', tab: 'Integrations', body };
  },
});
