import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { resetMachines } from '#shared/orchestration/reset-machines.ts';
import { linkToRun } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { findRunOfProject } from '#shared/results/run-of-project.ts';

/** §4.4.3 */
export const handler = form({
  operationId: 'submitResetRun',
  route: 'POST /{organizationId}/{projectId}/runs/{runId}/reset',
  needs: 'runs:write',
  access: { table: 'readWrite', alsoWrites: [auditRecords], artifacts: 'delete' },
  fields: z.object({ machineId: id }),
  page: 'showResetRun',
  async submit({ visit, path: { runId }, fields: { machineId } }, services) {
    const { organizationId } = await findRunOfProject(services, { ...visit, runId });
    const reset = { organizationId, runId, machineIds: [machineId], which: 'all', actor: visit.person } as const;
    await resetMachines(services, reset);
    return redirect(linkToRun(visit, runId));
  },
});
