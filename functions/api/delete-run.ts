import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { deleteRun } from '#shared/lifecycle/delete-run.ts';
import { DeletedRun } from '#shared/lifecycle/delete-wire.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4.3 */
export const handler = endpoint({
  operationId: 'deleteRun',
  route: 'DELETE /runs/{runId}',
  permission: 'runs:write',
  access: { table: 'readWrite', alsoWrites: [auditRecords], artifacts: 'delete' },
  summary: 'Delete a run, including its results, files and history',
  response: single(DeletedRun),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it only when a person asked to delete exactly this run. It cannot be undone. Needs `runId` from list_runs or find_run.',
    hints: { destructiveHint: true, idempotentHint: true },
  },
  async handle({ caller, path }, services) {
    return wrapData(await deleteRun(services, { ...caller, ...path }));
  },
});
