import { expect, test } from 'vitest';
import { executionsOf } from '#test/harness/analytics.ts';
import { recordRun } from '#test/harness/recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { deliverEvents, service } from '#test/harness/service.ts';

deliverEvents();

test('A run counts in analytics soon after its end, without a scheduled job or another request', async () => {
  const stage = await service();
  const tests = { 'pay.spec.ts > pays': passed() };
  await recordRun(stage, { retail: { tests }, wholesale: { tests } });
  await expect.poll(() => executionsOf(stage)).toEqual({ pays: { passed: 2 } });
});
