import * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { listOwnProjects } from '#shared/organizations/own-organizations.ts';
import { pickProject, Values } from '#shared/pages/docs/chosen-project.tsx';
import { DocsStart } from '#shared/pages/docs/docs-start.tsx';
import { GuidePage } from '#shared/pages/docs/guide-page.tsx';
import { GUIDES, isGuide } from '#shared/pages/docs/guides.ts';
import { OperationsPage } from '#shared/pages/docs/operations.tsx';
import { makePlaceholderFiller } from '#shared/pages/docs/placeholders.ts';
import { ReferencePage } from '#shared/pages/docs/reference-page.tsx';
import { getReference } from '#shared/pages/docs/reference-wire.ts';
import { linkToDocs } from '#shared/pages/shell/hrefs.ts';
import { getOpenApiDocument } from '#shared/platform/openapi-document.ts';
import { page } from '#shared/platform/page.ts';

const MOST_CHARACTERS = 200;

export const showDocs = page({
  operationId: 'showDocs',
  route: 'GET /docs',
  lambda: 'docs',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ project: z.string().optional(), q: z.string().max(MOST_CHARACTERS).default('') }),
  async show({ visit, query: { project, q: words } }, services) {
    const projects = 'account' in visit ? await listOwnProjects(services, visit.person) : [];
    const props = { visit, origin: services.origin, projects, chosen: pickProject(projects, project) };
    return {
      title: 'Documentation',
      body: <DocsStart {...props} words={words.trim()} reference={getReference(getOpenApiDocument(services))} />,
    };
  },
});

const REFERENCE = 'reference/';
export const showDocsPage = page({
  operationId: 'showDocsPage',
  route: 'GET /docs/{page+}',
  lambda: 'docs',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  path: { page: z.string() },
  query: z.object({ project: z.string().optional() }),
  async show({ visit, path: { page: name }, query: { project } }, services) {
    const projects = 'account' in visit ? await listOwnProjects(services, visit.person) : [];
    const chosenProject = pickProject(projects, project);
    const props = { visit, origin: services.origin, page: name, projects, chosen: chosenProject };
    const start = { name: 'Documentation', href: linkToDocs(visit, undefined, { project: chosenProject?.projectId }) };
    if (isGuide(name)) {
      const { title } = GUIDES[name];
      return { title, breadcrumbs: [start, { name: title }], body: <GuidePage {...props} name={name} /> };
    }
    const area = name.slice(REFERENCE.length);
    const reference = getReference(getOpenApiDocument(services));
    if (name === 'reference')
      return {
        title: 'API reference',
        breadcrumbs: [start, { name: 'API reference' }],
        body: <OperationsPage {...props} reference={reference} />,
      };
    if (!name.startsWith(REFERENCE) || !reference.areas.has(area)) throw notFound('Page');
    return {
      title: `/${area}`,
      breadcrumbs: [start, { name: `/${area}` }],
      body: (
        <ReferencePage
          area={area}
          reference={reference}
          fill={makePlaceholderFiller(props)}
          choice={<Values {...props} />}
        />
      ),
    };
  },
});
