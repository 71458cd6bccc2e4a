import { endpoint } from '#shared/platform/endpoint.ts';
import { deriveRequestKey } from '#shared/recording/join-run.ts';
import { readPlaywrightFramework } from '#shared/recording/published/playwright-framework.ts';
import { CreateRunAnswer, StreamRunBody } from '#shared/recording/published/run-wire.ts';
import { startStream } from '#shared/recording/published/start-stream.ts';

/** The first request of the streaming protocol. Each machine sends it once per Playwright project. */
export const handler = endpoint({
  operationId: 'createRun',
  route: 'POST /runs/v1',
  at: 'both',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Start or join the run of a CI build',
  body: StreamRunBody,
  response: CreateRunAnswer,
  refuses: ['notFound', 'runTakesNoMore'],
  handle: ({ actor: { organizationId }, body, header }, services) =>
    startStream(services, {
      organizationId,
      body,
      framework: readPlaywrightFramework(header),
      requestKey: deriveRequestKey(header('x-currents-idempotency-key'), body),
    }),
});
