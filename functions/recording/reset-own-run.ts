import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { ResetRun } from '#shared/lifecycle/reset-wire.ts';
import { resetMachines } from '#shared/orchestration/reset-machines.ts';
import { ResetMachinesBody } from '#shared/orchestration/session-wire.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { refuseContradictions } from '#shared/recording/sent-ids.ts';

/** Called by `pwc-p` when its machine is about to be interrupted. */
export const handler = endpoint({
  operationId: 'resetOwnRun',
  route: 'PUT /runs/v1/{runId}/reset',
  at: 'both',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'delete' },
  summary: 'Let other machines run the current spec files of an interrupted machine',
  body: ResetMachinesBody,
  response: single(ResetRun),
  refuses: ['notFound', 'runHasEnded'],
  async handle({ actor: { organizationId }, path: { runId }, body: { machineId, runId: sentRunId } }, services) {
    refuseContradictions({ runId: sentRunId }, { runId });
    return wrapData(await resetMachines(services, { organizationId, runId, machineIds: machineId, which: 'current' }));
  },
});
