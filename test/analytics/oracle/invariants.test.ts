import { describe, expect, test } from 'vitest';
import { query } from '#test/harness/client.ts';
import { clock, service } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import { displayError } from './judgement.ts';
import { resultPlan, runPlan } from './plan.ts';
import { periodParameters } from './questions.ts';
import type { Filter, Period } from './selection.ts';
import { testExecutions } from './selection.ts';
import { answers, ask, examples, recorded, type Stage, settle } from './settled.ts';

const HOUR = 3_600_000;

type Numbers = Readonly<Record<string, number>>;
interface Row {
  readonly signature: string;
  readonly metrics: Numbers;
}

const COUNTS = ['executions', 'passes', 'failures', 'ignored', 'flaky', 'failureVolume', 'flakinessVolume'] as const;

const testRows = async (stage: Stage, period: Period, filter: Filter = {}): Promise<readonly Row[]> =>
  (await ask(stage, `/tests/${stage.projectId}`, period, filter)).list;

const sumOf = (rows: readonly Row[]): Numbers =>
  Object.fromEntries(COUNTS.map((name) => [name, rows.reduce((sum, { metrics }) => sum + (metrics[name] ?? 0), 0)]));

const added = (all: readonly Numbers[]): Numbers =>
  Object.fromEntries(COUNTS.map((name) => [name, all.reduce((sum, one) => sum + (one[name] ?? 0), 0)]));

let one: ReturnType<typeof recorded> | undefined;
/** Three recorded runs. All tests that change nothing share them. */
async function asked() {
  one ??= recorded(3);
  const world = await one;
  clock.set(world.period.to);
  return world;
}

describe('The analytics of random runs', () => {
  test('Analytics count each execution as passed, failed or ignored', async () => {
    const { stage, period } = await asked();
    const rows = await testRows(stage, period);
    expect(rows.length).toBeGreaterThan(3);
    for (const { metrics } of rows) {
      const { passes = 0, failures = 0, ignored = 0 } = metrics;
      expect(passes + failures + ignored).toBe(metrics['executions']);
    }
  });

  test('The analytics of a period equal the sums over its branches, over its groups, and over the parts of the period', async () => {
    const { stage, period } = await recorded(3, { branch: 'main' });
    const whole = sumOf(await testRows(stage, period));
    const over = async (filters: readonly Filter[]) =>
      added(await Promise.all(filters.map(async (filter) => sumOf(await testRows(stage, period, filter)))));
    expect(await over([{ groups: ['web'] }, { groups: ['ios'] }, { groups: ['android'] }])).toEqual(whole);
    expect(await over([{ branches: ['main'] }, { branches: ['feat/*'] }])).toEqual(whole);
    for (const share of [0.21, 0.5, 0.83]) {
      const middle = Math.round(period.from + share * (period.to - period.from));
      const parts = [
        { from: period.from, to: middle },
        { from: middle, to: period.to },
      ];
      const sums = await Promise.all(parts.map(async (part) => sumOf(await testRows(stage, part))));
      expect(added(sums)).toEqual(whole);
    }
  });

  test('The analytics of tests, the insights and the counters of runs agree', async () => {
    const { stage, world, period } = await asked();
    const { executions, passes, ignored, flaky } = sumOf(await testRows(stage, period));
    const { tests } = (await ask(stage, `/projects/${stage.projectId}/insights`, period)).results.overall;
    expect([tests.total, tests.passed, tests.pending, tests.flaky]).toEqual([executions, passes, ignored, flaky]);
    const runs = await Promise.all(world.runs.map(({ runId }) => stage.reader.get(`/runs/${runId}`)));
    const groups: { tests: Numbers }[] = runs.flatMap(({ body }) => body.data.groups);
    const total = (name: string) => groups.reduce((sum, one) => sum + (one.tests[name] ?? 0), 0);
    expect([total('overall'), total('passes'), total('pending'), total('flaky')]).toEqual([
      executions,
      passes,
      ignored,
      flaky,
    ]);
  });

  test('Analytics count as many executions of a test as its history contains', async () => {
    const { stage, period } = await asked();
    for (const { signature, metrics } of await testRows(stage, period)) {
      const path = `/test-results/${signature}${query(...periodParameters(period), ['limit', '100'])}`;
      expect((await stage.reader.get(path)).body.data, path).toHaveLength(metrics['executions'] ?? 0);
    }
  });

  test('Analytics count as many errors as there are failed and flaky executions with an error', async () => {
    const plans = examples(resultPlan, 5);
    const results = plans.map((one) => ({ ...one, rare: null, result: 'failed' as const }));
    const { stage, world, period } = await recorded(2, { results, missing: 0 });
    const { list } = await ask(stage, `/errors/${stage.projectId}`, period);
    const failed = testExecutions(world.runs, { period, filter: {} }).filter(({ test }) => displayError(test));
    expect(failed.length).toBeGreaterThan(3);
    expect(list.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(failed.length);
  });

  test('Updating analytics again without new results changes no row of the organization', async () => {
    const { stage } = await asked();
    const before = await linesOfOrganization(stage);
    await stage.runSchedule('mergeAnalytics');
    await stage.runSchedule('mergeAnalytics');
    expect(await linesOfOrganization(stage)).toEqual(before);
  });

  test('Recording and deleting a run leaves analytics as they were before', async () => {
    const { stage, world, period } = await recorded(3);
    const before = await answers(stage, period);
    clock.set(period.from + HOUR);
    const [plan] = examples(runPlan, 1);
    if (!plan) throw new Error('fast-check generated no plan');
    await world.record({ ...plan, missing: 0 });
    await settle(stage);
    expect(sumOf(await testRows(stage, period))).not.toEqual(sumOf(before.tests.list));
    await world.remove(world.runs.length - 1);
    await settle(stage);
    expect(await answers(stage, period)).toEqual(before);
  });

  test('Analytics return 404 for a project of another organization and for an unknown project', async () => {
    const stage = await service();
    const other = await stage.tenant();
    const period = { from: Date.now() - HOUR, to: Date.now() };
    for (const projectId of [other.projectId, 'unknown']) {
      const paths = [`/tests/${projectId}`, `/spec-files/${projectId}`, `/errors/${projectId}`];
      for (const path of [...paths, `/projects/${projectId}/insights`]) {
        const { status } = await stage.reader.get(path + query(...periodParameters(period)));
        expect([path, status]).toEqual([path, 404]);
      }
    }
  });
});
