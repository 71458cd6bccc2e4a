/** Tests the filters of the read model, and the separate totals of a test for each set of its tags and annotations. */
import { describe, expect, test } from 'vitest';
import type { AnalyticsFilter } from '#shared/analytics/read-model.ts';
import { readOccurrences } from '#shared/analytics/read-occurrences.ts';
import { aroundNow, compileRuns, executionsOf, seriesOf, UNFILTERED } from '#test/harness/analytics.ts';
import { recordRun } from '#test/harness/recording.ts';
import { attempt, COMMIT, error, failed, passed, pending } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';

const SUM = 'cart.spec.ts > cart > sums';
const PAY = 'pay.spec.ts > pays';

describe('Filters', () => {
  test('An execution counts in analytics only if it matches every filter: branch, group, author and environment', async () => {
    const stage = await service();
    await recordRun(
      stage,
      {
        retail: { tests: { [SUM]: passed() }, environment: 'staging' },
        trade: { tests: { [PAY]: pending() } },
      },
      { commit: { ...COMMIT, branch: 'feat/cart' } },
    );
    await compileRuns(stage);
    const sums = { 'cart > sums': { passed: 1 } };
    const pays = { pays: { pending: 1 } };
    expect(await executionsOf(stage, { groups: ['retail'] })).toEqual(sums);
    expect(await executionsOf(stage, { environments: ['staging'] })).toEqual(sums);
    expect(await executionsOf(stage, { branches: ['feat/*'] })).toEqual({ ...sums, ...pays });
    expect(await executionsOf(stage, { branches: ['main'] })).toEqual({});
    expect(await executionsOf(stage, { authors: ['alex.doe@example.com'], groups: ['trade'] })).toEqual(pays);
    expect(await executionsOf(stage, { authors: ['nobody'] })).toEqual({});
  });

  test('Filters by tags match the tags of the run, of the group and of the test, and a tag that a test shares with its group is not listed as a tag of the test', async () => {
    const stage = await service();
    await recordRun(
      stage,
      { retail: { tests: { [SUM]: passed({ tags: ['slow', 'smoke'] }), [PAY]: passed() }, tags: ['smoke'] } },
      { tags: ['nightly'] },
    );
    await compileRuns(stage);
    const titles = async (filter: Partial<AnalyticsFilter>) => Object.keys(await executionsOf(stage, filter)).sort();
    expect(await titles({ tags: ['nightly'] })).toEqual(['cart > sums', 'pays']);
    expect(await titles({ tags: ['smoke'] })).toEqual(['cart > sums', 'pays']);
    expect(await titles({ tags: ['nightly', 'slow'] })).toEqual(['cart > sums']);
    expect(await titles({ tags: ['slow', 'none'], tagOperator: 'OR' })).toEqual(['cart > sums']);
    expect((await seriesOf(stage)).find(({ title }) => title.join() === 'cart,sums')?.tags).toEqual(['slow']);
  });
});

test('Analytics mask secrets in error messages before storing the errors', async () => {
  const stage = await service();
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const attempts = [attempt('failed', { errors: [error(`Error: the server refused ${secret} today`)] })];
  await recordRun(stage, { retail: { tests: { [SUM]: failed({ attempts }) } } });
  await compileRuns(stage);
  const [occurrence] = await readOccurrences(stage.services, stage, aroundNow(), UNFILTERED);
  expect(occurrence?.message).toContain('[masked: GitHub token]');
  expect(occurrence?.message).not.toContain('B2c3');
});

test('A test has separate totals for each set of its tags and annotations, and keeps one signature', async () => {
  const stage = await service();
  const annotations = [{ type: 'issue', description: 'A-1' }];
  for (const [ciBuildId, state] of [
    ['plain', passed()],
    ['tagged', passed({ tags: ['b', 'a'] })],
    ['tagged again', passed({ tags: ['a', 'b'] })],
    ['annotated', passed({ annotations })],
  ] as const) {
    await recordRun(stage, { retail: { tests: { [SUM]: state } } }, { ciBuildId });
    clock.advance(1000);
  }
  await compileRuns(stage);
  const rows = await seriesOf(stage);
  expect(new Set(rows.map(({ signature }) => signature)).size).toBe(1);
  const shown = rows.map(({ tags, annotations: own, totals }) => JSON.stringify([tags, own, totals.executions.passed]));
  expect(shown.sort()).toEqual(
    [[[], [], 1] as const, [[], annotations, 1] as const, [['a', 'b'], [], 2] as const]
      .map((one) => JSON.stringify(one))
      .sort(),
  );
});
