import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { ResetRun, ResetRunBody } from '#shared/lifecycle/reset-wire.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { resetMachines } from '#shared/orchestration/reset-machines.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4.3 */
export const handler = endpoint({
  operationId: 'resetRun',
  route: 'PUT /runs/{runId}/reset',
  permission: 'runs:write',
  access: { table: 'readWrite', alsoWrites: [auditRecords], artifacts: 'delete' },
  summary: 'Release spec files claimed by interrupted machines',
  body: ResetRunBody,
  response: single(ResetRun),
  refuses: ['notFound', 'runHasEnded'],
  tool: {
    description:
      'Use it when a machine died during a run and its spec files must run again. Deletes their results so far. Needs `runId` from list_runs and `machineId` of spec files in progress, from get_run.',
    hints: { destructiveHint: true, idempotentHint: false },
    without: { isBatchedOr8n: 'It has no effect' },
  },
  async handle({ caller, path, body: { machineId } }, services) {
    const reset = { ...caller, ...path, machineIds: machineId, which: 'all' } as const;
    return wrapData(await resetMachines(services, reset));
  },
});
