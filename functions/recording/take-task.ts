import * as z from 'zod';
import { TakeTaskAnswer, TakeTaskBody } from '#shared/orchestration/session-wire.ts';
import { takeTask } from '#shared/orchestration/take-task.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { deriveRequestKey } from '#shared/recording/join-run.ts';

/** The header `x-pwc-request-attempt`: how many times the client has already tried this request, as one digit. */
const ATTEMPT = z.string().regex(/^\d$/).transform(Number);

export const handler = endpoint({
  operationId: 'takeTask',
  route: 'POST /orchestration-v1/{sessionId}/task',
  at: 'both',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'delete' },
  summary: 'Get the next spec files to run, and acknowledge the previous ones',
  description:
    'Repeating a request with the same `x-currents-idempotency-key` returns the same spec files. 429 means that another machine may have stopped reporting: retry to take over its spec files. Only clients that count their retries in `x-pwc-request-attempt` get a 429.',
  body: TakeTaskBody,
  response: TakeTaskAnswer,
  refuses: ['notFound', 'runTakesNoMore'],
  handle: ({ actor: { organizationId }, path: { sessionId }, body: { machineId, runId }, header }, services) => {
    // A client that sends no idempotency key never retries a request, so any unique key will do.
    const requestKey = deriveRequestKey(header('x-currents-idempotency-key') ?? services.randomId(32), undefined);
    const attempt = ATTEMPT.safeParse(header('x-pwc-request-attempt')).data;
    return takeTask(services, { organizationId, sessionId, machineId, sentRunId: runId, requestKey, attempt });
  },
});
