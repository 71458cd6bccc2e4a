import { expect, onTestFinished, test, vi } from 'vitest';
import { startService } from '#infra/local/service.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { client } from '#test/harness/client.ts';
import { batchInstance, sendUpload, uploadBody } from '#test/harness/recording-batch.ts';
import { passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { findAssembly, findEngines, findPackages } from '#test/harness/stage.ts';

/**
 * The number of unauthenticated requests to each of the two operations. It is an eighth of the burst limit of an
 * operation in the smallest environment.
 */
const STRANGERS = 50;
const TEST = 'cart.spec.ts > sums';

test('A flood of unauthenticated requests to operations that take the API key in the body does not block uploads and cancellations with a valid key', async () => {
  const stage = await service();
  vi.useRealTimers();
  const throttled = await startService({
    assembly: await findAssembly(),
    packages: await findPackages(),
    engines: await findEngines(),
    tableName: stage.environment[ENVIRONMENT.tableName] ?? '',
    bucketName: stage.environment[ENVIRONMENT.artifactsBucket] ?? '',
    queuePrefix: crypto.randomUUID(),
    throttling: 'all',
    // Uploads and cancellations need no consumers of events.
    streams: false,
    onFault: () => {},
  });
  onTestFinished(throttled.close);
  const api = client(throttled.origin);
  for (const path of ['/runs', '/runs/cancel']) {
    const refused = await Promise.all(Array.from({ length: STRANGERS }, () => api.post(path, {})));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
  }
  const instance = batchInstance('retail', 'cart.spec.ts', { [TEST]: passed() });
  const upload = await sendUpload({ api }, uploadBody(stage, [suiteGroup('retail', [TEST])], [instance]));
  expect(upload.status).toBe(200);
  const ended = { recordKey: stage.keys.readWrite, projectId: stage.projectId, runId: upload.body.runId };
  expect((await api.post('/runs/cancel', ended)).status).toBe(200);
});
