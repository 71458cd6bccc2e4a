import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { ResetRun, ResetRunBody, resetRun } from '#shared/lifecycle/reset-run.ts';
import { id } from '#shared/resources/names.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'resetRun',
  route: 'PUT /runs/{runId}/reset',
  permission: 'runs:write',
  access: { table: 'readWrite', artifacts: 'delete' },
  summary: 'Open the spec files again that interrupted machines had taken',
  path: { runId: id },
  body: ResetRunBody,
  response: single(ResetRun),
  async handle({ caller: { organizationId }, path: { runId }, body: { machineId } }, services) {
    return ok({ data: await resetRun(services, { organizationId, runId, machineIds: machineId }) });
  },
});
