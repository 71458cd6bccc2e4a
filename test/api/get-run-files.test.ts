import { expect, test } from 'vitest';
import { recordRun } from '#test/harness/recording.ts';
import { failed, passed, testIdOf } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';

const FAILS = 'cart.spec.ts > fails';
const PASSES = 'pay.spec.ts > passes';

test('GET /runs/{runId} shows pictures and the first video of the spec files that did not pass clean', async () => {
  const tenant = await service();
  const run = await recordRun(tenant, { retail: { tests: { [FAILS]: failed(), [PASSES]: passed() } } });
  const announce = (name: string, type: string) =>
    tenant.api.post(`@/artifacts/test-record/${run.records[`retail ${name}`]}`, {
      type,
      artifactId: `${name} ${type}`,
      attemptId: 1,
      name: type,
      contentType: 'image/png',
    });
  for (const name of [FAILS, PASSES]) for (const type of ['screenshot', 'video', 'trace']) await announce(name, type);
  const { specs } = (await tenant.reader.get(`/runs/${run.runId}`)).body.data;
  const results = new Map(specs.map((spec: { spec: string; results: object }) => [spec.spec, spec.results]));
  const link = expect.stringMatching(/^http.*X-Amz-Signature=/);
  expect(results.get('cart.spec.ts')).toMatchObject({
    exception: null,
    videoUrl: link,
    screenshots: [{ testId: testIdOf('retail', FAILS), testAttemptIndex: 1, name: 'screenshot', screenshotURL: link }],
  });
  expect(results.get('pay.spec.ts')).toMatchObject({ exception: null, videoUrl: null, screenshots: [] });
});
