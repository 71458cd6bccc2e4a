import * as z from 'zod';
import { requireInUse } from '#shared/find-project.ts';
import { id } from '#shared/model/names.ts';
import { apiKeys, apiKeysOfOrganization } from '#shared/model/organizations/api-key.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { API_KEY_LEVELS } from '#shared/pages/organization/api-key-level.ts';
import { CreatedApiKeyPage } from '#shared/pages/organization/new-api-key-page.tsx';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitNewApiKey',
  route: 'POST /{organizationId}/settings/api-keys/new',
  needs: 'apiKeys:create',
  fresh: 'create an API key',
  access: {
    table: 'readWrite',
    writes: [apiKeys, apiKeysOfOrganization, auditRecords, submittedForms],
    artifacts: 'none',
  },
  fields: z.object({ formId: id, label: z.string(), level: z.enum(API_KEY_LEVELS), projectId: id.optional() }),
  page: 'showNewApiKey',
  async submit({ visit, caller, fields: { projectId, ...keyFields } }, services) {
    const projects = await listOrganizationProjects(services, caller);
    const selectedProject = projects.find((project) => project.projectId === projectId);
    const project = projectId === undefined ? undefined : requireInUse(selectedProject);
    const apiKey = await createApiKey(services, { ...caller, ...keyFields });
    const props = { visit, apiKey, project, origin: services.origin };
    return { title: 'New API key', tab: 'API keys', hasSecret: true, body: <CreatedApiKeyPage {...props} /> };
  },
});
