import * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { requireInUse } from '#shared/find-project.ts';
import { id } from '#shared/model/names.ts';
import { apiKeys, apiKeysOfOrganization } from '#shared/model/organizations/api-key.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { loadActorNames } from '#shared/organizations/actor-names.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { API_KEY_LEVELS } from '#shared/pages/organization/api-key-level.ts';
import { ApiKeysPage } from '#shared/pages/organization/api-keys-page.tsx';
import { CreatedApiKeyPage, NewApiKeyPage } from '#shared/pages/organization/new-api-key-page.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import type { Breadcrumb } from '#shared/pages/shell/view.ts';
import { form, page } from '#shared/platform/page.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';
import { readLastUses } from '#shared/usage/read-last-uses.ts';

export const showApiKeys = page({
  operationId: 'showApiKeys',
  route: 'GET /{organizationId}/settings/api-keys',
  lambda: 'settings',
  needs: 'apiKeys:list',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller }, services) {
    const [keys, lastUses] = await Promise.all([listApiKeys(services, caller), readLastUses(services, caller)]);
    const nameOf = await loadActorNames(
      services,
      keys.flatMap(({ createdBy }) => createdBy ?? []),
    );
    const body = <ApiKeysPage {...{ visit, keys, lastUses, nameOf }} now={services.now()} />;
    return { title: 'API keys', tab: 'API keys', body };
  },
});

const makeBreadcrumbs = (visit: OrganizationVisit, name: string): Breadcrumb[] => [
  { name: 'API keys', href: linkToOrganizationSettings(visit, 'api-keys') },
  { name },
];

/** The one whose steps the person read before. */
const framework = z.string().max(ORGANIZATION_LIMITS.nameCharacters).optional();

export const showNewApiKey = page({
  operationId: 'showNewApiKey',
  route: 'GET /{organizationId}/settings/api-keys/new',
  lambda: 'settings',
  needs: 'apiKeys:create',
  fresh: 'create an API key',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ project_id: id.optional(), framework }),
  async show({ visit, caller, query: { project_id: projectId, framework: chosenFramework }, refused }, services) {
    const projects = await listOrganizationProjects(services, caller);
    const props = { visit, projects, projectId, framework: chosenFramework, refused, formId: makeFormId(services) };
    const breadcrumbs = makeBreadcrumbs(visit, 'New API key');
    const body = <NewApiKeyPage {...props} />;
    return { title: 'New API key', tab: 'API keys', breadcrumbs, hasSecret: true, body };
  },
});

export const submitNewApiKey = form({
  operationId: 'submitNewApiKey',
  route: 'POST /{organizationId}/settings/api-keys/new',
  needs: 'apiKeys:create',
  fresh: 'create an API key',
  access: {
    table: 'readWrite',
    writes: [apiKeys, apiKeysOfOrganization, auditRecords, submittedForms],
    artifacts: 'none',
  },
  fields: z.object({
    formId: id,
    label: z.string(),
    level: z.enum(API_KEY_LEVELS),
    projectId: id.optional(),
    framework,
  }),
  page: 'showNewApiKey',
  async submit({ visit, caller, fields: { projectId, framework: chosenFramework, ...keyFields } }, services) {
    const projects = await listOrganizationProjects(services, caller);
    const selectedProject = projects.find((project) => project.projectId === projectId);
    const project = projectId === undefined ? undefined : requireInUse(selectedProject);
    const apiKey = await createApiKey(services, { ...caller, ...keyFields });
    const props = { visit, apiKey, project, framework: chosenFramework, origin: services.origin };
    return { title: 'New API key', tab: 'API keys', hasSecret: true, body: <CreatedApiKeyPage {...props} /> };
  },
});

export const showRevokeApiKey = page({
  operationId: 'showRevokeApiKey',
  route: 'GET /{organizationId}/settings/api-keys/{keyId}/revoke',
  lambda: 'settings',
  needs: 'apiKeys:delete',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { keyId }, refused }, services) {
    const all = await listApiKeys(services, caller);
    const { label, lastFour } = all.find((key) => key.keyId === keyId) ?? refuse(notFound('API key'));
    return {
      title: `Revoke ${label}`,
      tab: 'API keys',
      breadcrumbs: makeBreadcrumbs(visit, label),
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

export const submitRevokeApiKey = form({
  operationId: 'submitRevokeApiKey',
  route: 'POST /{organizationId}/settings/api-keys/{keyId}/revoke',
  needs: 'apiKeys:delete',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [apiKeys, apiKeysOfOrganization, auditRecords], artifacts: 'none' },
  page: 'showRevokeApiKey',
  async submit({ visit, caller, path: { keyId } }, services) {
    await deleteApiKey(services, { ...caller, keyId });
    return redirect(linkToOrganizationSettings(visit, 'api-keys'));
  },
});
