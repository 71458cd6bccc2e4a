import { formatActorName } from '#shared/access/actor.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { cancelRun } from '#shared/lifecycle/cancel-run.ts';
import { linkToRun } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { findRunOfProject } from '#shared/results/run-of-project.ts';

export const handler = form({
  operationId: 'submitCancelRun',
  route: 'POST /{organizationId}/{projectId}/runs/{runId}/cancel',
  needs: 'runs:write',
  access: { table: 'readWrite', artifacts: 'none' },
  page: 'showRun',
  async submit({ visit, path: { runId } }, services) {
    const { organizationId } = await findRunOfProject(services, { ...visit, runId });
    await cancelRun(services, { organizationId, runId, actor: formatActorName(visit.person) });
    return redirect(linkToRun(visit, runId));
  },
});
