import { describe, expect, test } from 'vitest';
import { recordRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { COMMIT, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';

const TEST = 'cart.spec.ts > sums';

describe('A commit message', () => {
  test.each([
    ['Net prices\n', 'Net prices'],
    ['Net prices\r\n\r\n', 'Net prices'],
    ['Net prices\n\n- for all\n', 'Net prices\n\n- for all'],
    [`${'x'.repeat(16_383)}\ny`, 'x'.repeat(16_383)],
    ['\n', ''],
  ])('is stored without trailing line breaks, whether it is streamed or uploaded: %j', async (message, expected) => {
    const tenant = await service();
    const commit = { ...COMMIT, message };
    const streamed = await recordRun(tenant, { retail: { tests: { [TEST]: passed() } } }, { commit });
    const instance = batchInstance('unit', 'cart.spec.ts', { [TEST]: passed() });
    const batch = await upload(tenant, [suiteGroup('unit', [TEST])], [instance], { commit, ciBuildId: 'batch' });
    for (const { runId } of [streamed, batch]) {
      const run = await read(tenant.reader, `/runs/${runId}`);
      expect(run.meta.commit.message).toBe(expected);
      expect((await read(tenant.reader, `/instances/${run.specs[0].instanceId}`)).commit.message).toBe(expected);
    }
  });
});
