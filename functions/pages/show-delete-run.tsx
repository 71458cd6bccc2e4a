import { makeRunBreadcrumbs } from '#shared/pages/runs/run-breadcrumbs.ts';
import { linkToRun, linkToRunPage } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';
import { findRunOfProject } from '#shared/results/run-of-project.ts';

export const handler = page({
  operationId: 'showDeleteRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/delete',
  needs: 'runs:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { runId }, refused }, services) {
    const { ciBuildId } = await findRunOfProject(services, { ...visit, runId });
    return {
      title: `Delete ${ciBuildId}`,
      tab: 'Runs',
      breadcrumbs: makeRunBreadcrumbs(visit, { runId, name: ciBuildId }, { name: 'Delete' }),
      body: (
        <QuestionPage
          question={`Delete the run ${ciBuildId}?`}
          action={linkToRunPage(visit, runId, 'delete')}
          refused={refused}
          yes="Delete this run"
          back={linkToRun(visit, runId)}
        >
          The results, files and history of this run will be deleted. This cannot be undone.
        </QuestionPage>
      ),
    };
  },
});
