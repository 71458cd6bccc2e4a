import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { actorOf, CancelledRun, cancelRun } from '#shared/lifecycle/cancel-run.ts';
import { id } from '#shared/resources/names.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'cancelRun',
  route: 'PUT /runs/{runId}/cancel',
  permission: 'runs:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Cancel a run that goes on',
  path: { runId: id },
  response: single(CancelledRun),
  async handle({ caller, path: { runId } }, services) {
    const { organizationId } = caller;
    return ok({ data: await cancelRun(services, { organizationId, runId, actor: actorOf(caller) }) });
  },
});
