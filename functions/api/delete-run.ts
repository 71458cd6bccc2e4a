import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { actorOf } from '#shared/lifecycle/cancel-run.ts';
import { DeletedRun, deleteRun } from '#shared/lifecycle/delete-run.ts';
import { id } from '#shared/resources/names.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'deleteRun',
  route: 'DELETE /runs/{runId}',
  permission: 'runs:write',
  access: { table: 'readWrite', artifacts: 'delete' },
  summary: 'Delete a run with its results, files and history',
  path: { runId: id },
  response: single(DeletedRun),
  async handle({ caller, path: { runId } }, services) {
    const { organizationId } = caller;
    return ok({ data: await deleteRun(services, { organizationId, runId, actor: actorOf(caller) }) });
  },
});
