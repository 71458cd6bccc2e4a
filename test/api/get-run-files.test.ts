import { expect, test } from 'vitest';
import { recordRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { failed, passed, suiteGroup, testIdOf } from '#test/harness/recording-messages.ts';
import { logLines, service } from '#test/harness/service.ts';

const FAILS = 'cart.spec.ts > fails';
const PASSES = 'pay.spec.ts > passes';

test('GET /runs/{runId} shows the screenshots and the video of a spec file with a failed test, and no files of a spec file whose tests passed', async () => {
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

test('GET /runs/{runId} shows at most 8 screenshots of a spec file, and GET /instances/{instanceId} shows all of them', async () => {
  const tenant = await service();
  const run = await recordRun(tenant, { retail: { tests: { [FAILS]: failed() } } });
  const announce = (number: number) =>
    tenant.api.post(`@/artifacts/test-record/${run.records[`retail ${FAILS}`]}`, {
      type: 'screenshot',
      artifactId: `picture ${number}`,
      name: `${number}`,
      contentType: 'image/png',
    });
  // Announces ten files at the same moment, each of them twice.
  await Promise.all(Array.from({ length: 20 }, (_, index) => announce(index % 10)));
  const [spec] = (await tenant.reader.get(`/runs/${run.runId}`)).body.data.specs;
  expect(spec.results.screenshots).toHaveLength(8);
  const { results } = (await tenant.reader.get(`/instances/${spec.instanceId}`)).body.data;
  expect(results.screenshots).toHaveLength(10);
});

test('GET /runs/{runId} with 110 failed spec files takes at most 3 round trips to DynamoDB and 17 read units', async () => {
  const tenant = await service();
  const specs = Array.from({ length: 110 }, (_, index) => `spec-${index}.spec.ts`);
  const picture = { path: 'failure.png', type: 'screenshot', contentType: 'image/png' };
  const instances = specs.map((spec) =>
    batchInstance('unit', spec, { [`${spec} > fails`]: failed() }, { artifacts: [picture] }),
  );
  const names = specs.map((spec) => `${spec} > fails`);
  const { runId } = await upload(tenant, [suiteGroup('unit', names)], []);
  const CALLS = 5;
  for (let call = 0; call < CALLS; call += 1) {
    await upload(
      tenant,
      [],
      instances.filter((_, index) => index % CALLS === call),
      { group: 'unit' },
    );
  }
  const answer = await tenant.reader.get(`/runs/${runId}`);
  expect(answer.body.data.specs).toHaveLength(110);
  for (const { results } of answer.body.data.specs) expect(results.screenshots).toHaveLength(1);
  const costs = logLines.flatMap((line) => {
    const { operationId, trips, readUnits } = JSON.parse(line);
    return operationId === 'getRun' && trips !== undefined ? [{ trips, readUnits }] : [];
  });
  expect(costs.at(-1)?.trips).toBeLessThanOrEqual(3);
  expect(costs.at(-1)?.readUnits).toBeLessThanOrEqual(17);
});
