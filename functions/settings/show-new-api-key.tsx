import * as z from 'zod';
import { id } from '#shared/model/names.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { NewApiKeyPage } from '#shared/pages/organization/new-api-key-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showNewApiKey',
  route: 'GET /{organizationId}/settings/api-keys/new',
  needs: 'apiKeys:create',
  fresh: 'create an API key',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ project_id: id.optional() }),
  async show({ visit, caller, query: { project_id: projectId }, refused }, services) {
    const projects = await listOrganizationProjects(services, caller);
    const props = { visit, projects, projectId, refused, formId: makeFormId(services) };
    return { title: 'New API key', tab: 'API keys', hasSecret: true, body: <NewApiKeyPage {...props} /> };
  },
});
