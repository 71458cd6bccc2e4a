/** Tests that a run counts as soon as it has ended, and exactly once, no matter how often its end is reported. */
import { describe, expect, test } from 'vitest';
import { compileEndedRun, sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { dueAnalytics } from '#shared/model/due.ts';
import { runs } from '#shared/model/runs/run.ts';
import { compileRuns, executionsOf, mergeRuns } from '#test/harness/analytics.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { recordRun, updateRecord } from '#test/harness/recording.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';

const PAY = 'pay.spec.ts > pays';
const TIME = { remainingMilliseconds: () => 60_000 };

type Stage = Awaited<ReturnType<typeof service>>;

/** Records a run. Returns the event of its end, and the ids of its test records. */
async function endedRun(stage: Stage, ciBuildId: string) {
  const { runId, records } = await recordRun(stage, { retail: { tests: { [PAY]: failed() } } }, { ciBuildId });
  const { services, organizationId, projectId } = stage;
  const run = await services.table.get(runs, { organizationId, runId }, { consistent: true });
  const { createdAt: runCreatedAt = 0, endedAt: occurredAt = 0 } = run ?? {};
  return { event: { organizationId, projectId, runId, runCreatedAt, occurredAt }, records };
}

const dueOf = async ({ environment, organizationId }: Stage) => {
  const rows = await itemsOf(environment, (row) => row['organizationId'] === organizationId);
  const due = rows.filter(({ pk }) => String(pk).startsWith('DUE#analytics#'));
  return due.map((row) => dueAnalytics.load(row).work.kind);
};

describe('The event of an ended run', () => {
  test('makes the run count in analytics immediately, and the next scheduled update has no run left to count', async () => {
    const stage = await service();
    const { event } = await endedRun(stage, 'first');
    expect(await compileEndedRun(stage.services, event)).toEqual([]);
    expect(await executionsOf(stage)).toEqual({ pays: { failed: 1 } });
    expect(await dueOf(stage)).toEqual(['merge']);
    expect(await compileRuns(stage)).toMatchObject({ due: 0 });
  });

  test('makes the run count in analytics exactly once, even if it is delivered again, concurrently or during a scheduled update', async () => {
    const stage = await service();
    const first = await endedRun(stage, 'first');
    const other = await endedRun(stage, 'second');
    const told = [first, first, other, first, other].map(({ event }) => compileEndedRun(stage.services, event));
    clock.advance(1);
    await Promise.all([...told, sweepAnalytics(stage.services, TIME)]);
    await compileEndedRun(stage.services, first.event);
    expect(await executionsOf(stage)).toEqual({ pays: { failed: 2 } });
    clock.advance(12 * 3_600_000);
    await mergeRuns(stage);
    await compileEndedRun(stage.services, first.event);
    await mergeRuns(stage);
    expect(await executionsOf(stage)).toEqual({ pays: { failed: 2 } });
  });

  test('If processing the event of an ended run crashes at any write, the run counts in analytics exactly once after the event is delivered again or a scheduled update runs', async () => {
    const stage = await service();
    for (let writes = 0; writes < 8; writes += 1) {
      const { event } = await endedRun(stage, `build-${writes}`);
      await compileEndedRun(dyingAfter(stage.services, writes), event).catch(() => {});
      if (writes % 2 === 0) await compileEndedRun(stage.services, event);
      else await compileRuns(stage);
      expect(await executionsOf(stage)).toEqual({ pays: { failed: writes + 1 } });
      expect(await dueOf(stage)).not.toContain('compile');
    }
  });

  test('does not bring back results that were corrected or deleted before the event arrived', async () => {
    const stage = await service();
    const { event, records } = await endedRun(stage, 'first');
    const gone = await endedRun(stage, 'second');
    await updateRecord(stage, records[`retail ${PAY}`] ?? '', passed(), 9);
    expect((await stage.api.send('DELETE', `/runs/${gone.event.runId}`)).status).toBe(200);
    await compileEndedRun(stage.services, gone.event);
    await compileEndedRun(stage.services, event);
    for (let sweep = 0; sweep < 3; sweep += 1) await mergeRuns(stage);
    await compileEndedRun(stage.services, event);
    expect(await executionsOf(stage)).toEqual({ pays: { passed: 1 } });
    const pending = await stage.services.table.queryAll(pendingRuns, getPendingRunsSpan(stage, 0, 99_999_999));
    expect(pending).toEqual([]);
  });
});

describe('Results that are sent again after the end of a run', () => {
  test('Results that are sent again right after the end of a run are counted in one recomputation', async () => {
    const stage = await service();
    const { event, records } = await endedRun(stage, 'first');
    await compileEndedRun(stage.services, event);
    for (let time = 1; time <= 5; time += 1)
      for (const recordId of Object.values(records)) await updateRecord(stage, recordId, passed(), time);
    expect((await dueOf(stage)).sort()).toEqual(['compile', 'merge']);
    expect(await compileRuns(stage)).toMatchObject({ due: 1, failed: 0 });
    expect(await executionsOf(stage)).toEqual({ pays: { passed: 1 } });
  });
});
