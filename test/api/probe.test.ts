import { test } from 'vitest';
import { recordRun, startRun, claim, createRecord } from '#test/harness/recording.ts';
import { passed, failed, flaky, pending, skipped, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { query } from '#test/harness/client.ts';

test('probe', async () => {
  const t = await service();
  const suite = [suiteGroup('retail', ['cart.spec.ts > cart > sums', 'cart.spec.ts > fails', 'pay.spec.ts > pays'], { tags: ['grp'], environment: 'staging' })];
  const run = await startRun(t, suite, { tags: ['nightly'] });
  clock.advance(1000);
  const c = await claim(t, run, 'cart.spec.ts');
  clock.advance(2000);
  await createRecord(t, c, 'cart.spec.ts > cart > sums', flaky({ tags: ['slow'], annotations: [{ type: 'owner', description: 'payments' }, { type: 'x' }] }));
  await createRecord(t, c, 'cart.spec.ts > fails', failed());
  console.log(JSON.stringify((await t.api.get(`/runs/${run.runId}`)).body, null, 1));
  console.log(JSON.stringify((await t.api.get(`/instances/${c.instanceId}`)).body, null, 1));
  const sig = (await t.api.post('/signature/test', { projectId: t.projectId, specFilePath: 'cart.spec.ts', testTitle: 'cart > sums' })).body.data.signature;
  console.log(JSON.stringify((await t.api.get(`/test-results/${sig}${query(['date_start', '2026-11-01'], ['date_end', '2026-11-30'])}`)).body, null, 1));
});
