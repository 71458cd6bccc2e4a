import { id } from '#shared/model/names.ts';
import { DeleteRunPage } from '#shared/pages/delete-run-page.tsx';
import { runHref, runsHref } from '#shared/pages/hrefs.ts';
import { page } from '#shared/platform/page.ts';
import { findRunOfProject } from '#shared/results/run-of-project.ts';

export const handler = page({
  operationId: 'showDeleteRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/delete',
  needs: 'runs:write',
  access: { table: 'read', artifacts: 'none' },
  path: { runId: id },
  async show({ visit, path: { runId }, refused }, services) {
    const { ciBuildId } = await findRunOfProject(services, { ...visit, runId });
    return {
      title: `Delete ${ciBuildId}`,
      tab: 'Runs',
      breadcrumbs: [
        { name: 'Runs', href: runsHref(visit) },
        { name: ciBuildId, href: runHref(visit, runId) },
        { name: 'Delete' },
      ],
      body: <DeleteRunPage visit={visit} runId={runId} ciBuildId={ciBuildId} refused={refused} />,
    };
  },
});
