import { describe, expect, test } from 'vitest';
import { longText, longTexts } from '#test/harness/long-texts.ts';
import { claim, createRecord, firstMessage, idempotencyKey, startRun } from '#test/harness/recording.ts';
import { attempt, failed, passed, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { expectRoom, longestRun, longestSuite, testOf } from './longest-run.ts';

describe('The largest rows of a run', () => {
  test('A spec file that many machines claim still fits into a table item, and refuses no machine', async () => {
    const stage = await service();
    const run = await startRun(stage, [suiteGroup('retail', ['cart.spec.ts > sums'])]);
    for (let machine = 0; machine < 95; machine += 1) {
      const machineId = longText(`machine ${machine}`, 256, 3);
      expect((await claim(stage, { ...run, machineId }, 'cart.spec.ts')).claimedCount).toBeGreaterThan(0);
    }
    await expectRoom(stage, run.runId);
    const last = await claim(stage, { ...run, machineId: 'last' }, 'cart.spec.ts');
    await createRecord(stage, last, 'cart.spec.ts > sums', passed());
    const { specs, completionState } = await read(stage.api, `/runs/${run.runId}`);
    expect(completionState).toBe('COMPLETE');
    expect(specs[0].machineId).toBe(longText('machine 0', 256, 3));
  });

  test.each([1, 3] as const)(
    'A row can store a test with the longest accepted texts (bytes per character: %i)',
    async (bytes) => {
      const stage = await service();
      const [group] = longestSuite(1, 100, bytes);
      if (!group) throw new Error('There is no group');
      const run = await startRun(stage, [group], longestRun(bytes));
      const spec = testOf(group).slice(0, -7);
      const claimed = await claim(stage, { ...run, groupId: group.name }, spec);
      const errorOf = (name: string, isLong: boolean): object => ({
        message: isLong ? longText(`${name} message`, 32_768, bytes) : name,
        stack: isLong ? longText(`${name} stack`, 65_536, bytes) : null,
        snippet: isLong ? longText(`${name} snippet`, 8192, bytes) : null,
        location: { file: longText(`${name} file`, 1024, bytes), line: 1, column: 1 },
      });
      const attempts = Array.from({ length: 20 }, (_, index) =>
        attempt(longText(`status ${index}`, 256, bytes), {
          _s: 'failed',
          errors: longTexts(`error ${index}`, 10, 8, bytes).map((name) => errorOf(name, index === 0)),
        }),
      );
      const state: TestState = failed({
        attempts,
        tags: longTexts('test', 100, 128, bytes),
        annotations: Array.from({ length: 32 }, (_, index) => ({
          type: longText(`type ${index}`, 256, bytes),
          description: longText(`description ${index}`, 2048, bytes),
        })),
      });
      const title = longTexts('title', 8, 2048, bytes);
      const message = { ...firstMessage(claimed, testOf(group), state), title };
      expect(await stage.api.post('@/test-record', message, idempotencyKey())).toMatchObject({ status: 200 });
      expect(await read(stage.api, `/runs/${run.runId}`)).toMatchObject({
        completionState: 'COMPLETE',
        status: 'FAILED',
      });
      expect(await historyOf(stage, { spec, title })).toMatchObject([{ status: 'failed' }]);
      await expectRoom(stage, run.runId);
    },
  );
});
