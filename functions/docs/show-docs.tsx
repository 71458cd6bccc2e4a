import * as z from 'zod';
import { listOwnProjects } from '#shared/organizations/own-organizations.ts';
import { DocsStart, pickProject } from '#shared/pages/docs/docs-page.tsx';
import { getReference } from '#shared/pages/docs/reference-wire.ts';
import { getOpenApiDocument } from '#shared/platform/openapi-document.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showDocs',
  route: 'GET /docs',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ project: z.string().optional() }),
  async show({ visit, query: { project } }, services) {
    const projects = 'account' in visit ? await listOwnProjects(services, visit.person) : [];
    const props = { visit, origin: services.origin, projects, chosen: pickProject(projects, project) };
    return {
      title: 'Documentation',
      body: <DocsStart {...props} reference={getReference(getOpenApiDocument(services))} />,
    };
  },
});
