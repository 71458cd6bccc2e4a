/** Compares query results before and after merges, corrections and deletions. */
import { describe, expect, test } from 'vitest';
import { readOccurrences } from '#shared/analytics/read-occurrences.ts';
import { readRunGroups } from '#shared/analytics/read-run-groups.ts';
import { readSpecs } from '#shared/analytics/read-specs.ts';
import { getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { getRootsSpan, spanRoots } from '#shared/model/analytics/root.ts';
import { compileRuns, executionsOf, mergeRuns, seriesOf, UNFILTERED } from '#test/harness/analytics.ts';
import { sampled } from '#test/harness/cases.ts';
import { correctTest, type UploadedRun, uploadRun } from '#test/harness/recording-batch.ts';
import { COMMIT, failed, flaky, passed } from '#test/harness/recording-messages.ts';
import { clock, START, service } from '#test/harness/service.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SUM = 'cart.spec.ts > cart > sums';
const PAY = 'pay.spec.ts > pays';
/** Nine days around the recorded runs. */
const PERIOD = { from: START.getTime() - DAY, to: START.getTime() + 8 * DAY };

type Stage = Awaited<ReturnType<typeof service>>;

/** Records `count` runs, `every` milliseconds apart, on two branches in turn. */
async function recordDays(stage: Stage, count: number, every: number): Promise<UploadedRun[]> {
  const all: UploadedRun[] = [];
  for (let place = 0; place < count; place += 1) {
    const tests = { [SUM]: place % 3 === 0 ? failed() : passed(), [PAY]: place % 4 === 0 ? flaky() : passed() };
    const branch = place % 2 === 0 ? 'main' : 'feat/cart';
    const more = { ciBuildId: `build-${place}`, commit: { ...COMMIT, branch } };
    all.push(await uploadRun(stage, tests, more));
    await compileRuns(stage);
    clock.advance(every);
  }
  return all;
}

const inAnyOrder = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

/**
 * The results of the queries for tests, spec files, runs and errors, with and without filters. One of the two periods
 * starts and ends inside a six-hour summary.
 */
async function answers(stage: Stage) {
  const { services } = stage;
  const cut = { from: START.getTime() + HOUR, to: START.getTime() + 2 * DAY + 1 };
  const filters = [{}, { branches: ['main'] }, { authors: ['Alex Doe'] }, { tags: ['none'] }];
  // `npm test` tries each filter with one of the periods, and the empty filter with both.
  const all = filters.flatMap((filter, row) =>
    sampled([PERIOD, cut], row === 0 ? 1 : 2, row).map((period) => [filter, period] as const),
  );
  const found: (readonly string[])[] = [];
  for (const [filter, period] of all) {
    const full = { ...UNFILTERED, ...filter };
    found.push(inAnyOrder(await seriesOf(stage, filter, period)));
    found.push(inAnyOrder(await readSpecs(services, stage, period, full)));
    found.push(inAnyOrder(await readRunGroups(services, stage, period, full)));
    found.push(inAnyOrder(await readOccurrences(services, stage, period, full)));
  }
  return found;
}

const FAR = 99_999_999;
const pendingOf = (stage: Stage) =>
  stage.services.table.queryAll(pendingRuns, getPendingRunsSpan(stage, 0, FAR), { consistent: true });
const rootsOf = (stage: Stage) =>
  stage.services.table.queryAll(spanRoots, getRootsSpan(stage, 0, FAR), { consistent: true });

/** Lets 70 days pass, and runs the scheduled merges until the summaries of all lengths are written. */
async function mergeAll(stage: Stage): Promise<void> {
  clock.advance(70 * DAY);
  for (let round = 0; round < 6; round += 1) await mergeRuns(stage);
}

describe('Merged runs', () => {
  test('Analytics queries return the same results before and after runs are merged into summaries', async () => {
    const stage = await service();
    await recordDays(stage, 5, 13 * HOUR);
    const before = await answers(stage);
    await mergeAll(stage);
    expect(await pendingOf(stage)).toEqual([]);
    const levels = (await rootsOf(stage)).map(({ level }) => level);
    expect(new Set(levels)).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(await answers(stage)).toEqual(before);
  });

  test('Corrections of merged runs count in summaries of every length after the next merges', async () => {
    const stage = await service();
    await recordDays(stage, 4, 13 * HOUR);
    await mergeAll(stage);
    await correctTest(stage, 'build-0', SUM, passed());
    await compileRuns(stage);
    const counts = () => executionsOf(stage, {}, PERIOD);
    expect(await counts()).toMatchObject({ 'cart > sums': { passed: 2, failed: 2 } });
    await mergeAll(stage);
    expect(await counts()).toMatchObject({ 'cart > sums': { passed: 3, failed: 1 } });
    const tops = (await rootsOf(stage)).filter(({ level }) => level === 4);
    expect(tops.map(({ version }) => version)).toEqual([2]);
  });

  test('Merged runs no longer count after their deletion, even if all runs of a summary are deleted', async () => {
    const stage = await service();
    const all = await recordDays(stage, 2, 10 * HOUR);
    await mergeAll(stage);
    for (const [place, { runId }] of all.entries()) {
      expect((await stage.api.send('DELETE', `/runs/${runId}`)).status).toBe(200);
      await mergeAll(stage);
      const rows = await seriesOf(stage, {}, PERIOD);
      const executions = rows.flatMap(({ totals }) => Object.values(totals.executions));
      expect(executions.reduce((sum, count) => sum + count, 0)).toBe(2 * (all.length - place - 1));
    }
    expect(await readRunGroups(stage.services, stage, PERIOD, UNFILTERED)).toEqual([]);
  });
});
