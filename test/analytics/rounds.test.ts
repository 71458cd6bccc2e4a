/** Counts the sequential round trips to the table that an analytics query needs. */
import { describe, expect, test } from 'vitest';
import { readFlips } from '#shared/analytics/flaky/flips.ts';
import type { AnalyticsFilter, Period, Reader } from '#shared/analytics/read-model.ts';
import { readOccurrences } from '#shared/analytics/read-occurrences.ts';
import { readRunGroups } from '#shared/analytics/read-run-groups.ts';
import { readSeries } from '#shared/analytics/read-series.ts';
import { readSpecs } from '#shared/analytics/read-specs.ts';
import { compileRuns, mergeRuns, UNFILTERED } from '#test/harness/analytics.ts';
import { inRounds, interruptedAt } from '#test/harness/interrupted-table.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, passed, type TestState } from '#test/harness/recording-messages.ts';
import { clock, START, service } from '#test/harness/service.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SUM = 'cart.spec.ts > cart > sums';
const PAY = 'pay.spec.ts > pays';
const WHOLE: Period = { from: START.getTime() - DAY, to: START.getTime() + 8 * DAY };
/**
 * A period that begins inside the first six-hour summary, so that this summary cannot be used as a whole. It contains
 * the run that is in no summary yet.
 */
const CUT: Period = { from: START.getTime() + 1, to: START.getTime() + 8 * DAY };
const MAIN: AnalyticsFilter = { ...UNFILTERED, branches: ['main'] };

const READERS = { readSeries, readSpecs, readOccurrences, readRunGroups } as const;

/** Records two runs that are in one six-hour summary, and a later run that is in no summary yet. */
async function recorded() {
  const stage = await service();
  const record = (ciBuildId: string, tests: Readonly<Record<string, TestState>>) =>
    recordRun(stage, { retail: { tests } }, { ciBuildId });
  await record('first', { [SUM]: failed(), [PAY]: passed() });
  clock.advance(HOUR);
  await record('second', { [SUM]: passed() });
  clock.advance(6 * HOUR);
  await mergeRuns(stage);
  await record('third', { [SUM]: failed() });
  await compileRuns(stage);
  return { stage, record };
}

describe('An analytics query', () => {
  test('waits for at most four rounds of reads, even with a filter or a period that begins inside a summary', async () => {
    const { stage } = await recorded();
    const rounds = async (read: Reader<unknown>, period: Period, filter: AnalyticsFilter): Promise<number> => {
      const { services, counted } = inRounds(stage.services);
      expect((await read(services, stage, period, filter)).length).toBeGreaterThan(0);
      return counted.rounds;
    };
    const found: Record<string, number[]> = {};
    for (const [name, read] of Object.entries(READERS)) {
      found[name] = [
        await rounds(read, WHOLE, UNFILTERED),
        await rounds(read, CUT, UNFILTERED),
        await rounds(read, WHOLE, MAIN),
      ];
    }
    expect(found).toEqual({
      readSeries: [4, 4, 4],
      readSpecs: [4, 4, 4],
      readOccurrences: [4, 4, 4],
      readRunGroups: [3, 3, 3],
    });
  });

  test('A query for tests that passed and failed on one commit waits for at most five rounds of reads, because it reads the results of individual runs', async () => {
    const { stage } = await recorded();
    const { services, counted } = inRounds(stage.services);
    await readFlips(services, stage, WHOLE, UNFILTERED);
    expect(counted.rounds).toBeLessThanOrEqual(5);
  });

  test('finds the name of a test even if the name was added during the query', async () => {
    const { stage, record } = await recorded();
    const { services, happened } = interruptedAt(stage.services, 0, async () => {
      await record('fourth', { 'new.spec.ts > is new': passed() });
      await compileRuns(stage);
    });
    const rows = await readSeries(services, stage, WHOLE, UNFILTERED);
    expect(happened()).toBe(true);
    expect(rows.map(({ specFile }) => specFile)).toContain('new.spec.ts');
  });
});
