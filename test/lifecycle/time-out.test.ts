import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { put } from '#shared/engine/table/writes.ts';
import { LIFECYCLE_LIMITS } from '#shared/lifecycle/limits.ts';
import { timeOutRuns } from '#shared/lifecycle/time-out-runs.ts';
import { dueRuns } from '#shared/model/due.ts';
import { runs } from '#shared/model/runs/run.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { eventsOfRun } from '#test/harness/events.ts';
import { runIdOf, runItem, storeRuns } from '#test/harness/history-runs.ts';
import { createRecord, recordRun, startRun, updateRecord } from '#test/harness/recording.ts';
import { passed, running } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';
import { claimedRun, OPEN, SUITE } from '#test/recording/operations.ts';

const MINUTE = 60_000;
const stateOf = async (stage: Awaited<ReturnType<typeof service>>, runId: string) =>
  (await read(stage.api, `/runs/${runId}`)).completionState;

describe('§3 A run without reports', () => {
  test('A run without reports times out after 30 minutes, fails, stops counting its duration and publishes one event', async () => {
    const stage = await service();
    const { runId } = await startRun(stage, SUITE);
    clock.advance(30 * MINUTE - 1);
    await stage.runSchedule('timeOutRuns');
    expect(await stateOf(stage, runId)).toBe('IN_PROGRESS');
    clock.advance(1001);
    await stage.runSchedule('timeOutRuns');
    await stage.runSchedule('timeOutRuns');
    clock.advance(30 * MINUTE);
    const run = await read(stage.api, `/runs/${runId}`);
    expect(run).toMatchObject({ status: 'FAILED', completionState: 'TIMEOUT', timeout: { isTimeout: true } });
    expect(run.durationMs).toBe(30 * MINUTE + 1000);
    const events = (await eventsOfRun(stage, runId)).map(({ payload }) => payload.event);
    expect(events).toEqual(['RUN_START', 'RUN_TIMEOUT']);
  });

  test.each([
    ['3 minutes', 180],
    ['12 hours', 43_200],
  ])(
    'A run without reports times out after %s if its project has this timeout',
    async (_, inactivityTimeoutSeconds) => {
      const stage = await service();
      const { services, organizationId, projectId } = stage;
      const settings = { inactivityTimeoutSeconds };
      await changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings });
      const { runId } = await startRun(stage, SUITE);
      clock.advance((inactivityTimeoutSeconds - 1) * 1000);
      await stage.runSchedule('timeOutRuns');
      expect(await stateOf(stage, runId)).toBe('IN_PROGRESS');
      clock.advance(2000);
      await stage.runSchedule('timeOutRuns');
      expect(await stateOf(stage, runId)).toBe('TIMEOUT');
    },
  );
});

describe('§3 After the end of a run', () => {
  test('A result that arrives after the end of a run is counted, without a second event or a change of state', async () => {
    const stage = await service();
    const claimed = await claimedRun(stage);
    const recordId = await createRecord(stage, claimed, OPEN, running());
    clock.advance(31 * MINUTE);
    await stage.runSchedule('timeOutRuns');
    const before = await eventsOfRun(stage, claimed.runId);
    await updateRecord(stage, recordId, passed(), 1);
    const run = await read(stage.api, `/runs/${claimed.runId}`);
    expect(run).toMatchObject({ completionState: 'TIMEOUT', groups: [{ tests: { overall: 1, passes: 1 } }] });
    expect(await eventsOfRun(stage, claimed.runId)).toEqual(before);
  });

  test('The first timeout sweep after the end of a run deletes the rows that make timeout sweeps check this run', async () => {
    const stage = await service();
    const runsOf = [
      (await recordRun(stage, { retail: { tests: { 'a.spec.ts > a': passed() } } }, { ciBuildId: 'finished' })).runId,
      (await startRun(stage, SUITE, { ciBuildId: 'cancelled' })).runId,
      (await startRun(stage, SUITE, { ciBuildId: 'deleted' })).runId,
    ];
    await stage.api.put(`/runs/${runsOf[1]}/cancel`);
    await stage.api.send('DELETE', `/runs/${runsOf[2]}`);
    clock.advance(LIFECYCLE_LIMITS.settlePauseMilliseconds + 1000);
    await stage.runSchedule('timeOutRuns');
    const left = await Promise.all(
      Array.from({ length: 8 }, (_, shard) => stage.services.table.queryAll(dueRuns, dueRuns.span(shard, 32 ** 9 - 1))),
    );
    expect(left.flat().filter(({ runId }) => runsOf.includes(runId))).toEqual([]);
  });
});

const ENDLESS = {
  status: 'RUNNING',
  completionState: 'IN_PROGRESS',
  endedAt: undefined,
  instancesExpected: 1,
} as const;

describe('A timeout sweep', () => {
  test('A run times out only once, even if several sweeps run concurrently', async () => {
    const stage = await service();
    const { runId } = await startRun(stage, SUITE);
    clock.advance(31 * MINUTE);
    await Promise.all(Array.from({ length: 4 }, () => stage.runSchedule('timeOutRuns')));
    const events = (await eventsOfRun(stage, runId)).map(({ payload }) => payload.event);
    expect(events).toEqual(['RUN_START', 'RUN_TIMEOUT']);
  });

  // This test comes last, because its runs would slow down the sweeps of later tests.
  test('stops before its time limit, and the next sweep continues', async () => {
    const stage = await service();
    const { services } = stage;
    const dueAt = Date.now();
    const many = Array.from({ length: 20 }, (_, index) =>
      runItem(stage, { ...ENDLESS, runId: runIdOf(index + 1), dueAt, createdAt: dueAt - 1_800_000 }),
    );
    await storeRuns(services, many);
    await services.table.writeMany(many.map((run) => put(dueRuns, run)));
    clock.advance(MINUTE);
    let pages = 0;
    const remainingMilliseconds = () => {
      pages += 1;
      return pages > 3 ? 0 : 60_000;
    };
    const first = await timeOutRuns(services, { remainingMilliseconds });
    expect(first).toMatchObject({ failed: 0, finished: false });
    expect(first.timedOut).toBeGreaterThan(2);
    expect(first.timedOut).toBeLessThan(many.length - 2);
    const second = await timeOutRuns(services, { remainingMilliseconds: () => 60_000 });
    expect(second).toMatchObject({ failed: 0, finished: true, timedOut: many.length - first.timedOut });
    const after = await services.table.getMany(runs, many);
    expect(new Set(after.map((run) => run?.completionState))).toEqual(new Set(['TIMEOUT']));
  });
});
