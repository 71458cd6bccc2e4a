import { redirect } from '#shared/engine/http/content.ts';
import { deleteRun } from '#shared/lifecycle/delete-run.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { findRunOfProject } from '#shared/results/run-of-project.ts';

export const handler = form({
  operationId: 'submitDeleteRun',
  route: 'POST /{organizationId}/{projectId}/runs/{runId}/delete',
  needs: 'runs:write',
  access: { table: 'readWrite', alsoWrites: [auditRecords], artifacts: 'delete' },
  page: 'showDeleteRun',
  async submit({ visit, path: { runId } }, services) {
    const { organizationId } = await findRunOfProject(services, { ...visit, runId });
    await deleteRun(services, { organizationId, runId, actor: visit.person });
    return redirect(linkToRuns(visit));
  },
});
