import { describe, expect, test } from 'vitest';
import { claim, createRecord, recordRun, startRun, updateRecord } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { failed, flaky, passed, pending, running, skipped, suiteGroup } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';

describe('smoke', () => {
  test('records', async () => {
    const tenant = await service();
    const { runId } = await recordRun(tenant, {
      retail: {
        tags: ['x'],
        tests: { 'a.spec.ts > a': passed(), 'a.spec.ts > b': failed(), 'b.spec.ts > f': flaky() },
      },
      wholesale: { environment: 'staging', tests: { 'a.spec.ts > a': pending(), 'a.spec.ts > b': skipped() } },
    });
    const run = await tenant.api.get(`/runs/${runId}`);
    console.log(JSON.stringify(run.body.data, null, 1));
    const r2 = await startRun(tenant, [suiteGroup('g', ['s.ts > t'])], { ciBuildId: '2' });
    const c = await claim(tenant, r2, 's.ts');
    const rec = await createRecord(tenant, c, 's.ts > t', running());
    await updateRecord(tenant, rec, passed(), 1);
    const u = await upload(tenant, [suiteGroup('g', ['s.ts > t'])], [], { ciBuildId: '3' });
    await upload(tenant, [], [batchInstance('g', 's.ts', { 's.ts > t': passed() })], { ciBuildId: '3', group: 'g' });
    console.log(JSON.stringify((await tenant.api.get(`/runs/${u.runId}`)).body.data, null, 1));
  });
});
