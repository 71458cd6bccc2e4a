import { redirect } from '#shared/engine/http/content.ts';
import { linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';
import { findRunOfProject } from '#shared/results/run-of-project.ts';

/** The published reporter prints this URL for each test in the CI log. */
export const handler = page({
  operationId: 'showPrintedTest',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/i/{instanceId}/test/{testId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path }, services) {
    await findRunOfProject(services, { ...visit, runId: path.runId });
    return redirect(linkToTestOfRun(visit, path));
  },
});
