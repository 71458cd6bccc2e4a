import { ok, single } from '#shared/engine/http/envelope.ts';
import { resetRun } from '#shared/lifecycle/reset-run.ts';
import { ResetRun, ResetRunBody } from '#shared/lifecycle/reset-wire.ts';
import { id } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'resetRun',
  route: 'PUT /runs/{runId}/reset',
  permission: 'runs:write',
  access: { table: 'readWrite', artifacts: 'delete' },
  summary: 'Release spec files claimed by interrupted machines',
  path: { runId: id },
  body: ResetRunBody,
  response: single(ResetRun),
  refuses: ['notFound', 'runHasEnded'],
  async handle({ actor: { organizationId }, path: { runId }, body: { machineId } }, services) {
    return ok({ data: await resetRun(services, { organizationId, runId, machineIds: machineId }) });
  },
});
