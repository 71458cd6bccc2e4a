/** Tests requests while the table refuses the counts of requests, or the rows of credentials. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { startService } from '#infra/local/service.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { USAGE_LIMITS } from '#shared/usage/limits.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { client } from '#test/harness/client.ts';
import { token } from '#test/harness/people.ts';
import { clock, START, service } from '#test/harness/service.ts';
import { findAssembly, findEngines, findPackages } from '#test/harness/stage.ts';
import { throttledTable } from '#test/harness/throttled-table.ts';
import { storeLimits } from '#test/harness/usage-limits.ts';

/** A service of its own with the data of `service()`, whose table denies what a test says. */
async function deniedStage() {
  const stage = await service();
  const engines = await findEngines();
  const table = await throttledTable(engines.dynamodbEndpoint);
  onTestFinished(table.close);
  const logLines: string[] = [];
  // The object store compares the signatures of its set-up with the real time.
  vi.useRealTimers();
  const { origin, close } = await startService({
    assembly: await findAssembly(),
    packages: await findPackages(),
    engines: { ...engines, dynamodbEndpoint: table.endpoint },
    tableName: stage.environment[ENVIRONMENT.tableName] ?? '',
    bucketName: stage.environment[ENVIRONMENT.artifactsBucket] ?? '',
    queuePrefix: crypto.randomUUID(),
    oauthIssuer: stage.issuer.issuer,
    schedules: false,
    streams: false,
    onLog: (line) => logLines.push(line),
    onFault: (line) => logLines.push(line),
  });
  onTestFinished(close);
  vi.useFakeTimers({ toFake: ['Date'], now: START });
  return { ...stage, table, origin, logLines };
}

const COUNTS = 'USAGE#';
const KEYS = 'KEY#';

test.each(['an API key', 'a personal token', 'an access token'] as const)(
  'A table that refuses to read or write the counts refuses no request with %s, and the log says so once per ten seconds',
  async (kind) => {
    const stage = await deniedStage();
    const credentials = {
      'an API key': () => stage.keys.readOnly,
      'a personal token': async () => (await token(stage)).value,
      'an access token': async () => (await accessToken(stage)).value,
    };
    const api = client(stage.origin, await credentials[kind]());
    stage.table.deny(COUNTS);
    for (let sent = 0; sent <= USAGE_LIMITS.sampleEvery; sent += 1)
      expect((await api.get('/projects')).status).toBe(200);
    const lines = stage.logLines.filter((line) => line.includes('requests not counted'));
    // One for the reading, and one for the request of 32 that writes the counts.
    expect(lines).toHaveLength(2);
    // The alarm about faults of the authorizer, whose clients get 503, counts the level ERROR.
    expect(lines.every((line) => line.includes('AccessDeniedException'))).toBe(true);
    stage.table.deny(undefined);
    clock.advance(USAGE_LIMITS.freshMilliseconds);
    expect((await api.get('/projects')).status).toBe(200);
  },
);

test('A deleted key is refused at once while the table refuses the counts', async () => {
  const { organizationId, services, origin, keys, table } = await deniedStage();
  const api = client(origin, keys.readOnly);
  expect((await api.get('/projects')).status).toBe(200);
  table.deny(COUNTS);
  const stored = await listApiKeys(services, { organizationId, actor: OPERATOR });
  const { keyId = '' } = stored.find(({ label }) => label === 'dashboard') ?? {};
  await deleteApiKey(services, { organizationId, actor: OPERATOR, keyId });
  clock.advance(USAGE_LIMITS.freshMilliseconds);
  expect((await api.get('/projects')).status).toBe(401);
});

test('A table that refuses to read the credential gives 503, also while it refuses the counts', async () => {
  const { origin, keys, table } = await deniedStage();
  const api = client(origin, keys.readOnly);
  expect((await api.get('/projects')).status).toBe(200);
  for (const text of [KEYS, '"S"']) {
    table.deny(text);
    clock.advance(USAGE_LIMITS.freshMilliseconds);
    expect((await api.get('/projects')).status).toBe(503);
  }
});

test('A limit that was reached stays in force while the table refuses the counts', async () => {
  const stage = await deniedStage();
  const api = client(stage.origin, stage.keys.readOnly);
  await storeLimits(stage, { keyRequestsPerMinute: 2 * USAGE_LIMITS.sampleEvery });
  let status = 0;
  for (let sent = 0; sent < 4 * USAGE_LIMITS.sampleEvery && status !== 429; sent += 1)
    status = (await api.get('/projects')).status;
  expect(status).toBe(429);
  stage.table.deny(COUNTS);
  clock.advance(USAGE_LIMITS.freshMilliseconds);
  expect((await api.get('/projects')).status).toBe(429);
});
