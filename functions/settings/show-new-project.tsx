import { makeFormId } from '#shared/organizations/only-once.ts';
import { NewProjectPage } from '#shared/pages/settings/new-project-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showNewProject',
  route: 'GET /{organizationId}/projects/new',
  needs: 'projects:write',
  access: { table: 'none', artifacts: 'none' },
  show: ({ visit, refused }, services) => ({
    title: 'New project',
    tab: 'Projects',
    hasSecret: true,
    body: <NewProjectPage visit={visit} refused={refused} formId={makeFormId(services)} />,
  }),
});
