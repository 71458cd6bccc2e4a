import { redirect } from '#shared/engine/http/content.ts';
import { linkToInstance } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';
import { findRunOfProject } from '#shared/results/run-of-project.ts';

/** The published reporter prints the run URL with `/i/<instanceId>` appended. */
export const handler = page({
  operationId: 'showPrintedInstance',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/i/{instanceId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path }, services) {
    await findRunOfProject(services, { ...visit, runId: path.runId });
    return redirect(linkToInstance(visit, path.instanceId));
  },
});
