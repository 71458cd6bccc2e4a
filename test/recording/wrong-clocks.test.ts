import { describe, expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { query } from '#test/harness/client.ts';
import { batchInstance, upload, uploadRun } from '#test/harness/recording-batch.ts';
import { type Attempt, attempt, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, START, service } from '#test/harness/service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const fromStart = (milliseconds: number) => new Date(START.getTime() + milliseconds).toISOString();

const ODD: readonly Partial<Attempt>[] = [
  { startTime: '0001-01-01T00:00:00.000Z' },
  { startTime: '1970-01-01T00:00:00.000Z', duration: 1e308 },
  { startTime: '2099-01-01T00:00:00.000Z', duration: -1 },
  { startTime: '+275760-09-13T00:00:00.000Z', duration: 1e15 },
  { startTime: fromStart(3 * HOUR) },
  { startTime: fromStart(-3 * HOUR), duration: 2 * HOUR },
];
const PAYS = 'cart.spec.ts > pays';
/** A date range that includes the time of the server. */
const RANGE = [
  ['date_start', fromStart(-24 * HOUR)],
  ['date_end', fromStart(24 * HOUR)],
] as const;

describe('A result with a wrong clock or duration', () => {
  test('is recorded, but does not affect the order or the pages of the history', async () => {
    const stage = await service();
    const recorded: string[] = [];
    for (const [index, odd] of ODD.entries()) {
      const state = passed({ attempts: [attempt('passed', odd)] });
      recorded.unshift((await uploadRun(stage, { [PAYS]: state }, { ciBuildId: `build-${index}` })).runId);
      clock.advance(MINUTE);
    }
    const named = { projectId: stage.projectId, specFilePath: 'cart.spec.ts', testTitle: ['pays'] };
    const { signature } = (await stage.api.post('/signature/test', named)).body.data;
    const found: string[] = [];
    let after: readonly (readonly [string, string])[] = [];
    for (;;) {
      const page = await read(stage.api, `/test-results/${signature}${query(...RANGE, ['limit', '2'], ...after)}`);
      if (page.length === 0) break;
      found.push(...page.map(({ runId }: { readonly runId: string }) => runId));
      after = [['starting_after', page.at(-1).cursor]];
    }
    expect(found).toEqual(recorded);
    const feed = await read(stage.api, `/projects/${stage.projectId}/runs?limit=10`);
    expect(feed.map(({ runId }: { readonly runId: string }) => runId)).toEqual(recorded);
  });

  test('A result is excluded from averages if its duration is impossible, but not if its duration is several hours', async () => {
    const stage = await service();
    const average = async () => {
      await compileRuns(stage);
      const range = query(...RANGE);
      const [tests, specs] = await Promise.all([
        read(stage.api, `/tests/${stage.projectId}${range}`),
        read(stage.api, `/spec-files/${stage.projectId}${range}`),
      ]);
      return [tests.list[0].metrics.avgDurationMs, specs.list[0].metrics.avgDuration];
    };
    const record = (ciBuildId: string, more: Partial<Attempt>) =>
      uploadRun(stage, { [PAYS]: passed({ attempts: [attempt('passed', more)] }) }, { ciBuildId });
    await record('usual', { duration: HOUR });
    await record('false', { duration: 1e15 });
    expect(await average()).toEqual([HOUR, HOUR]);
    await record('slow', { startTime: fromStart(-5 * HOUR), duration: 5 * HOUR });
    expect(await average()).toEqual([3 * HOUR, 3 * HOUR]);
  });

  test.each([
    ['a clock that is ahead by 20 hours', fromStart(20 * HOUR)],
    ['a clock of 2099', '2099-01-01T00:00:00.000Z'],
  ])('A result from %s does not keep its run from timing out', async (_, startTime) => {
    const stage = await service();
    const suite = [suiteGroup('retail', [PAYS, 'search.spec.ts > finds'])];
    const done = passed({ attempts: [attempt('passed', { startTime, duration: MINUTE })] });
    const { runId } = await upload(stage, suite, [batchInstance('retail', 'cart.spec.ts', { [PAYS]: done })]);
    const run = await read(stage.api, `/runs/${runId}`);
    const spec = run.specs.find((one: { readonly spec: string }) => one.spec === 'cart.spec.ts');
    expect(Date.parse(spec.claimedAt)).toBeLessThanOrEqual(Date.parse(spec.completedAt));
    expect(Date.parse(spec.completedAt)).toBeLessThanOrEqual(Date.now());
    clock.advance(HOUR);
    await stage.runSchedule('timeOutRuns');
    expect(await read(stage.api, `/runs/${runId}`)).toMatchObject({ completionState: 'TIMEOUT' });
  });
});
