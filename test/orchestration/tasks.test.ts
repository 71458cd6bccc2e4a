import { describe, expect, test } from 'vitest';
import { orchestrationSessions } from '#shared/model/orchestration/session.ts';
import { ORCHESTRATION_LIMITS } from '#shared/orchestration/limits.ts';
import { compileRuns } from '#test/harness/analytics.ts';
import { cases } from '#test/harness/cases.ts';
import {
  askForTask,
  runTask,
  sessionBody,
  specsOf,
  startSession,
  takeAll,
  takeTask,
} from '#test/harness/orchestration.ts';
import { claim, createRecord, idempotencyKey, startRun } from '#test/harness/recording.ts';
import { attempt, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';

const FILES = Array.from({ length: 12 }, (_, index) => `file-${index}.spec.ts`);
const TESTS = FILES.map((spec) => `${spec} > works`);
const SUITE = [suiteGroup('retail', TESTS), suiteGroup('wholesale', TESTS)];
const ALL = SUITE.flatMap(({ name }) => FILES.map((spec) => `${name} ${spec}`)).sort();
const SMALL = [suiteGroup('retail', ['a.spec.ts > works', 'b.spec.ts > works'])];
const MINUTE = 60_000;

type Stage = Awaited<ReturnType<typeof service>>;
const times = <Result>(count: number, make: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const machine = (stage: Stage, machineId: string, suite = SMALL) => startSession(stage, suite, { machineId });

/** Returns one suite for each non-empty subset of these files. */
const suitesOf = (files: readonly string[]) =>
  Array.from({ length: 2 ** files.length - 1 }, (_, set) => [
    suiteGroup(
      'retail',
      files.filter((_, place) => (set + 1) & (1 << place)).map((spec) => `${spec} > works`),
    ),
  ]);

describe('An orchestration session', () => {
  test.each([cases(64, 8)])(
    'A session gives each spec file to exactly one of %i machines that start and ask at the same time',
    async (count) => {
      const stage = await service();
      const taken = await times(count, async () => takeAll(stage, await startSession(stage, SUITE)));
      expect(taken.flat().sort()).toEqual(ALL);
    },
  );

  test('is shared by all machines of a build, but not by another build', async () => {
    const stage = await service();
    const sessions = await times(4, () => startSession(stage, SUITE));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
    expect(new Set(sessions.map(({ machineId }) => machineId)).size).toBe(4);
    const other = await startSession(stage, SUITE, { ciBuildId: 'build-2' });
    expect(other.id).not.toBe(sessions[0]?.id);
    expect(await takeAll(stage, other)).toHaveLength(ALL.length);
  });

  test('A session accepts no more machines than its limit, even with concurrent requests, but a machine that has joined can start again', async () => {
    const stage = await service();
    const { organizationId, api, projectId, services } = stage;
    const { runId } = await machine(stage, 'first');
    const places = 2;
    const used = ORCHESTRATION_LIMITS.machinesPerSession - places;
    await services.table.update(orchestrationSessions, { organizationId, runId }, { set: [['machines', used]] });
    const asked = await times(5, (index) =>
      api.post('@/orchestration-v1', sessionBody(projectId, SMALL, { machineId: `m${index}` }), idempotencyKey()),
    );
    expect(asked.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400, 400]);
    const refused = asked.find(({ status }) => status === 400);
    expect(JSON.stringify(refused?.body)).toContain('at most 1000 machines');
    expect((await machine(stage, 'first')).machineId).toBe('first');
  });

  test('A session creates the run with the whole suite, and the response to each request for a task shows the progress of the run', async () => {
    const stage = await service();
    const session = await machine(stage, 'm1');
    const { specs, completionState } = await read(stage.api, `/runs/${session.runId}`);
    expect({ completionState, specs: specs.length }).toEqual({ completionState: 'IN_PROGRESS', specs: 2 });
    const first = await takeTask(stage, session);
    expect(first.run.progress.specs).toEqual({ overall: 2, completed: 0 });
    await runTask(stage, SMALL, session, first);
    const second = await takeTask(stage, session);
    expect(second.run.progress).toMatchObject({
      specs: { overall: 2, completed: 1 },
      tests: { overall: 2, passes: 1 },
    });
    await runTask(stage, SMALL, session, second);
    const last = await takeTask(stage, session);
    expect(last).toMatchObject({ batch: null, run: { progress: { specs: { overall: 2, completed: 2 } } } });
    expect((await read(stage.api, `/runs/${session.runId}`)).completionState).toBe('COMPLETE');
  });

  test('A session distributes each file of two different suites exactly once', async () => {
    const stage = await service();
    const session = await startSession(stage, [suiteGroup('retail', TESTS.slice(0, 8))]);
    const other = await startSession(stage, [suiteGroup('retail', TESTS.slice(4))]);
    const taken = await Promise.all([takeAll(stage, session), takeAll(stage, other)]);
    expect(taken.flat().sort()).toEqual(ALL.filter((name) => name.startsWith('retail')));
  });

  test('A session refuses a 51st different suite with 400, and distributes the files of the first 50 suites', async () => {
    const stage = await service();
    const suites = [...suitesOf(FILES.slice(0, 6)).slice(0, 49), [suiteGroup('retail', ['last.spec.ts > works'])]];
    const sessions = [];
    for (const suite of suites) sessions.push(await startSession(stage, suite, { globalWorkers: 50 }));
    expect(sessions).toHaveLength(50);
    const more = sessionBody(stage.projectId, [suiteGroup('retail', ['more.spec.ts > works'])]);
    const refused = await stage.api.post('@/orchestration-v1', more);
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('at most 50 different') } });
    const [first] = sessions;
    const taken = first && (await takeAll(stage, first));
    expect(taken?.sort()).toEqual([...ALL.filter((name) => /^retail file-[0-5]\./.test(name)), 'retail last.spec.ts']);
  });

  test('Each batch has files of one group, as many as the batch size of the group or, if it has none, its number of workers', async () => {
    const stage = await service();
    const more = { globalWorkers: 3, projectWorkers: { wholesale: 5 }, projectBatchSizes: { retail: 2 } };
    const session = await startSession(stage, SUITE, more);
    const sizes: string[] = [];
    for (let task = await takeTask(stage, session); task.batch; task = await takeTask(stage, session))
      sizes.push(`${task.batch.groupId} ${task.batch.tasks.length}`);
    expect(sizes.sort()).toEqual([...Array(6).fill('retail 2'), 'wholesale 2', 'wholesale 5', 'wholesale 5']);
  });

  test('A session distributes the longest files first, by their recorded durations', async () => {
    const stage = await service();
    const run = await startRun(stage, SMALL, { ciBuildId: 'earlier' });
    for (const [spec, duration] of [
      ['a.spec.ts', 100],
      ['b.spec.ts', 9000],
    ] as const) {
      const state = passed({ attempts: [attempt('passed', { duration })] });
      await createRecord(stage, await claim(stage, run, spec), `${spec} > works`, state);
    }
    await compileRuns(stage);
    const task = await takeTask(stage, await machine(stage, 'm1'));
    expect(task.batch?.tasks).toEqual([{ spec: 'b.spec.ts', score: 9000, workerIndex: 0, batchSize: 1 }]);
  });
});

describe('A repeated request', () => {
  test('A repeated request for a task gets the same task, even while the first request is in progress', async () => {
    const stage = await service();
    const session = await startSession(stage, SUITE);
    const answers = await times(6, () => takeTask(stage, session, 'once'));
    expect(new Set(answers.map((task) => specsOf(task).join())).size).toBe(1);
    const rest = await takeAll(stage, session);
    expect(
      [...specsOf(await takeTask(stage, session, 'again')), ...rest, ...specsOf(answers[0] ?? Object())].sort(),
    ).toEqual(ALL);
  });

  test('A repeated request to start a session adds no second machine, even after the run was cancelled', async () => {
    const stage = await service();
    const first = await startSession(stage, SMALL, {}, 'key');
    expect((await stage.api.put(`/runs/${first.runId}/cancel`, undefined)).status).toBe(200);
    expect(await startSession(stage, SMALL, {}, 'key')).toEqual(first);
  });
});

describe('A request for a task', () => {
  test('returns 404 for another organization, an unknown session or an unknown machine', async () => {
    const stage = await service();
    const session = await machine(stage, 'm1');
    const neighbour = await stage.tenant('Neighbour');
    expect(await askForTask(neighbour, session)).toMatchObject({ status: 404 });
    expect(await askForTask(stage, { ...session, id: '0'.repeat(16), runId: '0'.repeat(16) })).toMatchObject({
      status: 404,
    });
    expect(await askForTask(stage, { ...session, machineId: 'm2' })).toMatchObject({ status: 404 });
    const plain = await startRun(stage, SMALL, { ciBuildId: 'plain' });
    expect(await askForTask(stage, { id: plain.runId, runId: plain.runId, machineId: 'm1' })).toMatchObject({
      status: 404,
    });
    expect(await takeAll(stage, session)).toHaveLength(2);
  });

  test('returns 422 RUN_CANCELLED for a cancelled run, and 422 RUN_EXPIRED for a run that timed out', async () => {
    const stage = await service();
    const cancelled = await machine(stage, 'm1');
    await stage.api.put(`/runs/${cancelled.runId}/cancel`, undefined);
    expect(await askForTask(stage, cancelled)).toMatchObject({ status: 422, body: { code: 'RUN_CANCELLED' } });
    const late = await startSession(stage, SMALL, { ciBuildId: 'late', machineId: 'm1' });
    clock.advance(31 * MINUTE);
    await stage.runSchedule('timeOutRuns');
    expect(await askForTask(stage, late)).toMatchObject({ status: 422, body: { code: 'RUN_EXPIRED' } });
    const again = await stage.api.post(
      '@/orchestration-v1',
      sessionBody(stage.projectId, SMALL, { ciBuildId: 'late' }),
    );
    expect(again).toMatchObject({ status: 422, body: { code: 'RUN_EXPIRED' } });
  });
});
