import { ok, single } from '#shared/engine/http/envelope.ts';
import { id } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { readRun, tooManySpecFiles } from '#shared/results/read-run.ts';
import { WholeRun } from '#shared/results/run-wire.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'getRun',
  route: 'GET /runs/{runId}',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  summary: 'Get one run with its groups and spec files',
  path: { runId: id },
  response: single(WholeRun),
  limit: tooManySpecFiles,
  refuses: ['notFound'],
  async handle({ actor: { organizationId }, path: { runId } }, services) {
    return ok({ data: await readRun(services, { organizationId, runId }) });
  },
});
