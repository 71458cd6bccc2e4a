import { listIntegrations } from '#shared/issues/integrations.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { IntegrationsPage } from '#shared/pages/issues/integrations-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showIntegrations',
  route: 'GET /{organizationId}/settings/integrations',
  needs: 'integrations:change',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, refused }, services) {
    const { organizationId, person: actor } = visit;
    const [integrations, projects] = await Promise.all([
      listIntegrations(services, { organizationId }),
      listOrganizationProjects(services, { organizationId, actor }),
    ]);
    const body = <IntegrationsPage {...{ visit, integrations, projects, refused }} now={services.now()} />;
    return { title: 'Integrations', tab: 'Integrations', body };
  },
});
