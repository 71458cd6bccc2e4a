import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { query } from '#test/harness/client.ts';
import { clock, keepOutbox, service } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import { displayError } from './judgement.ts';
import { type RunPlan, resultPlan, runPlan } from './plan.ts';
import { filterParameters, periodParameters } from './questions.ts';
import type { Filter, Period } from './selection.ts';
import { testExecutions } from './selection.ts';
import { World } from './world.ts';

keepOutbox();

type Stage = Awaited<ReturnType<typeof service>>;

const HOUR = 3_600_000;
const TEN_MINUTES = 600_000;

/** The same values each time. */
const examples = <One>(of: fc.Arbitrary<One>, number: number): One[] => fc.sample(of, { numRuns: number, seed: 13 });

async function settle(stage: Stage): Promise<void> {
  for (let sweep = 0; sweep < 3; sweep += 1) {
    clock.advance(TEN_MINUTES);
    await stage.runSchedule('mergeAnalytics');
  }
}

/** A settled world whose runs all ended, two hours apart. `plan` replaces parts of each plan. */
async function recorded(runs: number, plan: Partial<RunPlan> = {}) {
  const stage = await service();
  const world = new World(stage);
  const [start] = [Date.now()];
  for (const one of examples(runPlan, runs)) {
    await world.record({ ...one, ...plan });
    await world.wait(2 * HOUR);
  }
  await settle(stage);
  return { stage, world, period: { from: start, to: Date.now() } };
}

const ask = async (stage: Stage, path: string, period: Period, filter: Filter = {}) => {
  const parameters = query(...periodParameters(period), ...filterParameters(filter));
  const { status, body } = await stage.reader.get(path + parameters);
  expect({ status, path }).toMatchObject({ status: 200 });
  return body.data;
};

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

describe('Analytics of random runs', () => {
  test('count each execution as passed, failed or ignored', async () => {
    const { stage, period } = await recorded(4);
    const rows = await testRows(stage, period);
    expect(rows.length).toBeGreaterThan(3);
    for (const { metrics } of rows) {
      const { passes = 0, failures = 0, ignored = 0 } = metrics;
      expect(passes + failures + ignored).toBe(metrics['executions']);
    }
  });

  test('are the sum of their branches, of their groups, and of the parts of their period', async () => {
    const { stage, period } = await recorded(5, { branch: 'main' });
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

  test('agree in the tests, the insights and the counters of the runs', async () => {
    const { stage, world, period } = await recorded(4);
    const { executions, passes, ignored, flaky } = sumOf(await testRows(stage, period));
    const { tests } = (await ask(stage, `/projects/${stage.projectId}/insights`, period)).results.overall;
    expect([tests.total, tests.passed, tests.pending, tests.flaky]).toEqual([executions, passes, ignored, flaky]);
    const runs = await Promise.all(world.runs.map(({ runId }) => stage.reader.get(`/runs/${runId}`)));
    const groups: { tests: Numbers }[] = runs.flatMap(({ body }) => body.data.groups);
    const total = (name: string) => groups.reduce((sum, one) => sum + (one.tests[name] ?? 0), 0);
    expect([total('overall'), total('passes'), total('pending'), total('flaky')]).toEqual([
      ...[executions, passes, ignored, flaky],
    ]);
  });

  test('count as many executions of a test as its history has', async () => {
    const { stage, period } = await recorded(4);
    for (const { signature, metrics } of await testRows(stage, period)) {
      const path = `/test-results/${signature}${query(...periodParameters(period), ['limit', '100'])}`;
      expect((await stage.reader.get(path)).body.data, path).toHaveLength(metrics['executions'] ?? 0);
    }
  });

  test('count as many errors as failed and flaky executions with an error', async () => {
    const plans = examples(resultPlan, 5);
    const results = plans.map((one) => ({ ...one, rare: null, result: 'failed' as const }));
    const { stage, world, period } = await recorded(4, { results, missing: 0 });
    const { list } = await ask(stage, `/errors/${stage.projectId}`, period);
    const failed = testExecutions(world.runs, { period, filter: {} }).filter(({ test }) => displayError(test));
    expect(failed.length).toBeGreaterThan(3);
    expect(list.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(failed.length);
  });

  test('do not change a row of the table when they are brought up to date again', async () => {
    const { stage } = await recorded(5);
    const before = await linesOfOrganization(stage);
    await stage.runSchedule('mergeAnalytics');
    await stage.runSchedule('mergeAnalytics');
    expect(await linesOfOrganization(stage)).toEqual(before);
  });

  test('are the same after a run was recorded and deleted as before it', async () => {
    const { stage, world, period } = await recorded(5);
    const answers = async () => ({
      tests: await testRows(stage, period),
      specs: await ask(stage, `/spec-files/${stage.projectId}`, period),
      errors: await ask(stage, `/errors/${stage.projectId}`, period),
      insights: await ask(stage, `/projects/${stage.projectId}/insights`, period),
    });
    const before = await answers();
    clock.set(period.from + HOUR);
    const [plan] = examples(runPlan, 1);
    if (!plan) throw new Error('There is no plan');
    await world.record({ ...plan, missing: 0 });
    await settle(stage);
    expect(sumOf(await testRows(stage, period))).not.toEqual(sumOf(before.tests));
    await world.remove(world.runs.length - 1);
    await settle(stage);
    expect(await answers()).toEqual(before);
  });

  test('are 404 for a project of another organization and for an unknown one', async () => {
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
