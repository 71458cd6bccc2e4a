import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { id } from '#shared/resources/names.ts';
import { readRun, WholeRun } from '#shared/results/read-run.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'getRun',
  route: 'GET /runs/{runId}',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  summary: 'One run with its groups and spec files',
  path: { runId: id },
  response: single(WholeRun),
  async handle({ caller: { organizationId }, path: { runId } }, services) {
    return ok({ data: await readRun(services, { organizationId, runId }) });
  },
});
