/** Merges of the read model that crash, run twice, or run during a query. */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { readSeries } from '#shared/analytics/read-series.ts';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { dueAnalytics } from '#shared/model/due.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import type { CoreServices } from '#shared/services.ts';
import { compileRuns, executionsOf, mergeRuns, UNFILTERED } from '#test/harness/analytics.ts';
import { sampled } from '#test/harness/cases.ts';
import { dyingAfter, interruptedAt } from '#test/harness/interrupted-table.ts';
import { startRun } from '#test/harness/recording.ts';
import { correctTest, uploadRun } from '#test/harness/recording-batch.ts';
import { failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, START, service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SUM = 'cart.spec.ts > cart > sums';
const PAY = 'pay.spec.ts > pays';
const PERIOD = { from: START.getTime() - DAY, to: START.getTime() + 8 * DAY };
/** The numbers of writes after which a sweep crashes. */
const WRITES = Array.from({ length: 12 }, (_, writes) => writes);
const TIME = { remainingMilliseconds: () => 60_000 };

type Stage = Awaited<ReturnType<typeof service>>;

const record = (stage: Stage, ciBuildId: string, state = passed()) =>
  uploadRun(stage, { [SUM]: state, [PAY]: passed() }, { ciBuildId });

const total = async (services: CoreServices, stage: Stage): Promise<number> => {
  const rows = await readSeries(services, stage, PERIOD, UNFILTERED);
  return rows.flatMap(({ totals }) => Object.values(totals.executions)).reduce((sum, count) => sum + count, 0);
};

const summariesOf = (stage: Stage) =>
  itemsOf(stage.environment, ({ pk }) => String(pk).startsWith(`SPAN#${stage.organizationId}#`));

describe('Merges', () => {
  test('If merges of runs into summaries crash between their writes, no query result changes, and the next merges finish the work', async () => {
    const stage = await service();
    await record(stage, 'first', failed());
    await record(stage, 'second');
    clock.advance(12 * HOUR);
    await record(stage, 'third');
    for (const writes of [0, 1, 2, 3, 4, 5]) {
      clock.advance(1);
      await sweepAnalytics(dyingAfter(stage.services, writes), TIME);
    }
    await compileRuns(stage);
    expect(await total(stage.services, stage)).toBe(6);
    clock.advance(DAY);
    // `npm test` covers half of the cases: merges of new runs that crash after even numbers of writes, and merges of
    // corrections that crash after odd numbers of writes.
    for (const writes of sampled(WRITES, 2)) {
      clock.advance(61_000);
      await sweepAnalytics(dyingAfter(stage.services, writes), TIME);
      expect(await total(stage.services, stage)).toBe(6);
    }
    await correctTest(stage, 'first', SUM, passed());
    for (const writes of sampled(WRITES, 2, 1)) {
      clock.advance(61_000);
      await sweepAnalytics(dyingAfter(stage.services, writes), TIME);
      expect(await total(stage.services, stage)).toBe(6);
    }
    await mergeRuns(stage);
    await mergeRuns(stage);
    expect(await executionsOf(stage, {}, PERIOD)).toEqual({ 'cart > sums': { passed: 3 }, pays: { passed: 3 } });
  });

  test('of runs into summaries leave one version of each summary and no pending work, even if they run concurrently or repeatedly', async () => {
    const stage = await service();
    await record(stage, 'first');
    await compileRuns(stage);
    clock.advance(70 * DAY);
    for (let round = 0; round < 6; round += 1) {
      clock.advance(61_000);
      await Promise.all([1, 2].map(() => sweepAnalytics(stage.services, TIME)));
    }
    clock.advance(2 * HOUR);
    await mergeRuns(stage);
    const generations = (await summariesOf(stage)).map(({ pk, generation }) => `${pk} ${generation}`);
    expect(new Set(generations).size).toBe(5);
    const due = await itemsOf(stage.environment, ({ pk, organizationId }) =>
      [String(pk).startsWith('DUE#analytics#'), organizationId === stage.organizationId].every(Boolean),
    );
    expect(due.map(dueAnalytics.load)).toEqual([]);
  });
});

test('A check of a cancelled run for late results is scheduled, even if computing the totals of the run crashes at any write', async () => {
  const stage = await service();
  for (const writes of [0, 1, 2, 3, 4, 5, 6]) {
    const { runId } = await startRun(stage, [suiteGroup('retail', [SUM])], { ciBuildId: `cancelled-${writes}` });
    await stage.api.put(`/runs/${runId}/cancel`);
    clock.advance(61_000);
    await sweepAnalytics(dyingAfter(stage.services, writes), TIME);
    clock.advance(61_000);
    await sweepAnalytics(stage.services, TIME);
    const due = await itemsOf(stage.environment, ({ pk }) => String(pk).startsWith('DUE#analytics#'));
    const checks = due.map(dueAnalytics.load).flatMap(({ work }) => (work.kind === 'recheck' ? [work.runId] : []));
    expect({ writes, isChecked: checks.includes(runId) }).toEqual({ writes, isChecked: true });
  }
});

describe('Runs in analytics', () => {
  test('Runs count once in analytics, even if they are merged into summaries between the reads of a query', async () => {
    const stage = await service();
    await record(stage, 'first');
    await record(stage, 'second');
    await compileRuns(stage);
    clock.advance(DAY);
    for (let call = 0; call < 6; call += 1) {
      await record(stage, `more-${call}`);
      await compileRuns(stage);
      const expected = 4 + 2 * (call + 1);
      await correctTest(stage, `more-${call}`, SUM, failed());
      const act = async () => {
        await mergeRuns(stage);
        await mergeRuns(stage);
      };
      const { services, happened } = interruptedAt(stage.services, call, act);
      const found = await total(services, stage);
      if (!happened()) await act();
      expect({ call, found }).toEqual({ call, found: expected });
    }
  });

  test('Runs keep their totals in analytics after their results have expired', async () => {
    const stage = await service();
    const { organizationId, projectId } = stage;
    const settings = { retention: { resultsDays: 2, evidenceDays: 2, filesDays: 2 } };
    await changeProjectSettings(stage.services, { organizationId, projectId, actor: OPERATOR, settings });
    await record(stage, 'first');
    await compileRuns(stage);
    clock.advance(DAY);
    await mergeRuns(stage);
    clock.advance(2 * DAY);
    await mergeRuns(stage);
    expect((await stage.api.get(`/projects/${projectId}/runs`)).body.data).toEqual([]);
    expect(await total(stage.services, stage)).toBe(2);
  });
});
