import * as z from 'zod';
import { CONNECTION_FORM_NAMES, CONNECTION_FORMS } from '#shared/model/issues/tracker-kind.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { IntegrationPage } from '#shared/pages/issues/integration-form.tsx';
import { makeIntegrationBreadcrumbs } from '#shared/pages/issues/integrations-page.tsx';
import { page } from '#shared/platform/page.ts';

/** Requires a recent sign-in, because details of failures are sent to the address that is entered in the form. */
export const handler = page({
  operationId: 'showNewIntegration',
  route: 'GET /{organizationId}/settings/integrations/connect/{tracker}',
  needs: 'integrations:change',
  fresh: 'connect an issue tracker',
  access: { table: 'read', artifacts: 'none' },
  path: { tracker: z.enum(CONNECTION_FORM_NAMES) },
  async show({ visit, caller, path: { tracker }, refused }, services) {
    const projects = await listOrganizationProjects(services, caller);
    const title = `Connect ${CONNECTION_FORMS[tracker].name}`;
    return {
      title,
      tab: 'Integrations',
      breadcrumbs: makeIntegrationBreadcrumbs(visit, title),
      body: <IntegrationPage {...{ visit, tracker, projects, refused }} />,
    };
  },
});
