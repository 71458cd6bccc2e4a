import { id } from '#shared/model/names.ts';
import { TakeTaskAnswer, TakeTaskBody } from '#shared/orchestration/session-wire.ts';
import { takeTask } from '#shared/orchestration/take-task.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { requestKeyOf } from '#shared/recording/join-run.ts';

export const handler = endpoint({
  operationId: 'takeTask',
  route: 'POST /orchestration-v1/{sessionId}/task',
  at: 'origin',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'delete' },
  summary: 'Get the next spec files to run, and acknowledge the ones before',
  description: 'A repeated request with the same `x-currents-idempotency-key` gets the same spec files.',
  path: { sessionId: id },
  body: TakeTaskBody,
  response: TakeTaskAnswer,
  refuses: ['notFound', 'runTakesNoMore'],
  handle: ({ actor: { organizationId }, path: { sessionId }, body: { machineId, runId }, header }, services) => {
    // A client without keys never repeats a request.
    const requestKey = requestKeyOf(header('x-currents-idempotency-key') ?? services.randomId(32), undefined);
    return takeTask(services, { organizationId, sessionId, machineId, sentRunId: runId, requestKey });
  },
});
