import { expect, onTestFinished, test, vi } from 'vitest';
import { startService } from '#infra/local/service.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { client } from '#test/harness/client.ts';
import { token } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';
import { findAssembly, findEngines, findPackages } from '#test/harness/stage.ts';
import { throttledTable } from '#test/harness/throttled-table.ts';

const REQUESTS = 30;
const PERCENT = 40;

test('If 40% of the DynamoDB requests are throttled, requests with valid credentials get 200 or 5xx, but never 401', async () => {
  const stage = await service();
  const { value } = await token(stage);
  // The SDK waits between its retries in real time.
  vi.useRealTimers();
  const engines = await findEngines();
  const table = await throttledTable(engines.dynamodbEndpoint);
  onTestFinished(table.close);
  const throttled = await startService({
    assembly: await findAssembly(),
    packages: await findPackages(),
    engines: { ...engines, dynamodbEndpoint: table.endpoint },
    tableName: stage.environment[ENVIRONMENT.tableName] ?? '',
    bucketName: stage.environment[ENVIRONMENT.artifactsBucket] ?? '',
    queuePrefix: crypto.randomUUID(),
    onFault: () => {},
  });
  onTestFinished(throttled.close);
  const callers = [stage.keys.readOnly, value].map((credential) => client(throttled.origin, credential));
  table.throttle(PERCENT);
  const requests = Array.from({ length: REQUESTS }, (_, index) => callers[index % callers.length]);
  const answers = await Promise.all(requests.map((caller) => caller?.get(`/projects/${stage.projectId}`)));
  const statuses = answers.map((answer) => answer?.status ?? 0);
  // Each request reads the table at least once. How often it tries again depends on the time that it has left.
  expect(table.turnedAway()).toBeGreaterThanOrEqual((REQUESTS * PERCENT) / 100);
  expect(statuses.filter((status) => status !== 200 && status < 500)).toEqual([]);
  // Whether a request succeeds in the end depends on the time that it has left, so one of several must, each alone.
  let status = 0;
  for (let tries = 0; status !== 200 && tries < REQUESTS; tries += 1)
    status = (await callers[tries % callers.length]?.get(`/projects/${stage.projectId}`))?.status ?? 0;
  expect(status).toBe(200);
});
