import * as z from 'zod';
import { listIntegrations } from '#shared/issues/find-integration.ts';
import { verifyIntegration } from '#shared/issues/integrations.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { IntegrationsPage } from '#shared/pages/issues/integrations-page.tsx';
import { connectTrackers } from '#shared/platform/connect.ts';
import { form } from '#shared/platform/page.ts';

const trackers = connectTrackers();

/** The response is the page itself, because a redirect could not carry the name of the account. */
export const handler = form({
  operationId: 'submitIntegrationTest',
  route: 'POST /{organizationId}/settings/integrations/{integrationId}/test',
  needs: 'integrations:change',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [integrations], artifacts: 'none', trackers: 'read' },
  /** `integrationId` tells the page next to which connection to show an error. */
  fields: z.object({ integrationId: z.string().default('') }),
  page: 'showIntegrations',
  async submit({ visit, caller, path: { integrationId } }, services) {
    const account = await verifyIntegration({ ...services, ...trackers() }, { ...caller, integrationId });
    const [all, projects] = await Promise.all([
      listIntegrations(services, caller),
      listOrganizationProjects(services, caller),
    ]);
    const props = { visit, integrations: all, projects, now: services.now(), refused: undefined };
    const body = <IntegrationsPage {...props} tested={{ integrationId, account }} />;
    return { title: 'Integrations', tab: 'Integrations', body };
  },
});
