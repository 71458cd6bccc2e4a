import { describe, expect, test } from 'vitest';
import { claim, createRecord, startRun, updateRecord } from '#test/harness/recording.ts';
import { passed, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';
import { claimedRun, DONE, OPEN, SUITE } from '#test/recording/operations.ts';

const MINUTE = 60_000;

type Stage = Awaited<ReturnType<typeof service>>;
type Claimed = Awaited<ReturnType<typeof claimedRun>>;

const stateOf = async (stage: Stage, runId: string) => (await read(stage.api, `/runs/${runId}`)).completionState;

describe('§3 The timeout of a run', () => {
  test.each([
    ['another machine that joins', (stage: Stage, of: Claimed) => startRun(stage, SUITE, { group: of.groupId })],
    ['the claim of a spec file', (stage: Stage, of: Claimed) => claim(stage, of, of.spec)],
    ['the end of a test', (stage: Stage, of: Claimed) => createRecord(stage, of, DONE, passed())],
    ['the start of a test', (stage: Stage, of: Claimed) => createRecord(stage, of, OPEN, running())],
  ] as const)('The timeout of a run is extended by %s', async (_, report) => {
    const stage = await service();
    const claimed = await claimedRun(stage);
    clock.advance(29 * MINUTE);
    await report(stage, claimed);
    for (const minutes of [2, 26]) {
      clock.advance(minutes * MINUTE);
      await stage.runSchedule('timeOutRuns');
      expect(await stateOf(stage, claimed.runId)).toBe('IN_PROGRESS');
    }
    clock.advance(3 * MINUTE);
    await stage.runSchedule('timeOutRuns');
    expect(await stateOf(stage, claimed.runId)).toBe('TIMEOUT');
  });

  test('The timeout of a run is extended by a long test that keeps reporting, even for hours', async () => {
    const stage = await service();
    const claimed = await claimedRun(stage);
    const recordId = await createRecord(stage, claimed, OPEN, running());
    for (let sequence = 1; sequence <= 5; sequence += 1) {
      clock.advance(25 * MINUTE);
      await updateRecord(stage, recordId, running(), sequence);
      clock.advance(5 * MINUTE);
      await stage.runSchedule('timeOutRuns');
      expect(await stateOf(stage, claimed.runId)).toBe('IN_PROGRESS');
    }
  });

  test('The timeout of a run is extended if a test reports its final result a second time', async () => {
    const stage = await service();
    const claimed = await claimedRun(stage);
    const recordId = await createRecord(stage, claimed, DONE, passed());
    clock.advance(29 * MINUTE);
    await updateRecord(stage, recordId, passed(), 1);
    clock.advance(28 * MINUTE);
    await stage.runSchedule('timeOutRuns');
    expect(await stateOf(stage, claimed.runId)).toBe('IN_PROGRESS');
  });

  test.each([
    ['a corrected result', (stage: Stage, _: Claimed, recordId: string) => updateRecord(stage, recordId, passed(), 1)],
    [
      'a test outside the suite',
      (stage: Stage, of: Claimed) => createRecord(stage, of, 'cart.spec.ts > added', running()),
    ],
  ] as const)(
    'The timeout of a run is extended by %s, even if the spec file is already complete',
    async (_, report) => {
      const stage = await service();
      const run = await startRun(stage, [suiteGroup('retail', ['cart.spec.ts > sums', 'tax.spec.ts > sums'])]);
      const claimed = await claim(stage, run, 'cart.spec.ts');
      const recordId = await createRecord(stage, claimed, 'cart.spec.ts > sums', passed());
      clock.advance(29 * MINUTE);
      await report(stage, claimed, recordId);
      clock.advance(28 * MINUTE);
      await stage.runSchedule('timeOutRuns');
      expect(await stateOf(stage, run.runId)).toBe('IN_PROGRESS');
      clock.advance(3 * MINUTE);
      await stage.runSchedule('timeOutRuns');
      expect(await stateOf(stage, run.runId)).toBe('TIMEOUT');
    },
  );
});
