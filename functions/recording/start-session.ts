import { SessionAnswer, StartSessionBody } from '#shared/orchestration/session-wire.ts';
import { startSession } from '#shared/orchestration/start-session.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { deriveRequestKey } from '#shared/recording/join-run.ts';
import { readPlaywrightFramework } from '#shared/recording/published/playwright-framework.ts';

/** The first request of `pwc-p`: each machine sends it after it has listed its tests. */
export const handler = endpoint({
  operationId: 'startSession',
  route: 'POST /orchestration-v1',
  at: 'both',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'delete' },
  summary: 'Start or join the orchestration session of a CI build',
  body: StartSessionBody,
  response: SessionAnswer,
  refuses: ['notFound', 'runTakesNoMore'],
  handle: ({ actor: { organizationId }, body, header }, services) =>
    startSession(services, {
      organizationId,
      body,
      framework: readPlaywrightFramework(header),
      requestKey: deriveRequestKey(header('x-currents-idempotency-key'), body),
    }),
});
