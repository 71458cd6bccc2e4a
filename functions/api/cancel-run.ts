import { formatActorName } from '#shared/access/actor.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { cancelRun } from '#shared/lifecycle/cancel-run.ts';
import { CancelledRun } from '#shared/lifecycle/cancel-wire.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4.3 */
export const handler = endpoint({
  operationId: 'cancelRun',
  route: 'PUT /runs/{runId}/cancel',
  permission: 'runs:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Cancel a run',
  response: single(CancelledRun),
  refuses: ['notFound', 'runHasEnded'],
  tool: {
    description:
      'Use it only when a person asked to stop this run. A cancelled run cannot be resumed. Needs `runId` of a run in progress, from list_runs with `completion_state: ["IN_PROGRESS"]`.',
    hints: { destructiveHint: true, idempotentHint: true },
  },
  async handle({ caller, path }, services) {
    return wrapData(await cancelRun(services, { ...caller, ...path, actor: formatActorName(caller.actor) }));
  },
});
