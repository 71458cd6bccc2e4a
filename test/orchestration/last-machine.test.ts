import { describe, expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { askAgain, runTask, type Session, specsOf, startSession, takeTask } from '#test/harness/orchestration.ts';
import { claim, createRecord, startRun } from '#test/harness/recording.ts';
import { attempt, passed, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';

const SMALL = [suiteGroup('retail', ['a.spec.ts > works', 'b.spec.ts > works'])];
const SECOND = 1000;
const MINUTE = 60_000;

/** Two machines take one file each. One machine dies immediately, and the other machine completes its file later. */
async function oneDies(lastsMilliseconds: number) {
  const stage = await service();
  const dead = await startSession(stage, SMALL, { machineId: 'dead' });
  const living = await startSession(stage, SMALL, { machineId: 'living' });
  const task = await takeTask(stage, dead);
  const own = await takeTask(stage, living);
  clock.advance(lastsMilliseconds);
  await runTask(stage, SMALL, living, own);
  const ask = (repetition: number, machine: Session = living) => askAgain(stage, machine, repetition);
  return { stage, dead, living, task, lost: specsOf(task), ask };
}

describe('The last machine of a run', () => {
  test('is told to wait for the files of a machine that will soon be considered dead, and gets them', async () => {
    const { ask, lost } = await oneDies(80 * SECOND);
    for (const [repetition, seconds] of [3, 15, 30].entries()) {
      const answer = await ask(repetition);
      expect(answer).toMatchObject({ status: 429, body: { error: expect.stringContaining(`in ${seconds} seconds`) } });
      expect(answer.headers.get('retry-after')).toBe(String(seconds));
      clock.advance(seconds * SECOND);
    }
    const last = await ask(3);
    expect([last.status, specsOf(last.body)]).toEqual([200, lost]);
  });

  test('The last machine is not told to wait if no other machine will soon be considered dead, or if all files are complete', async () => {
    const { stage, dead, task, ask } = await oneDies(60 * SECOND);
    expect(await ask(0)).toMatchObject({ status: 200, body: { batch: null } });
    clock.advance(30 * SECOND);
    await runTask(stage, SMALL, dead, task);
    expect(await ask(0)).toMatchObject({ status: 200, body: { batch: null } });
  });

  test('The last machine is not told to wait on its last retry, or if it sends no valid retry number', async () => {
    const { stage, living, ask } = await oneDies(80 * SECOND);
    expect(await ask(3)).toMatchObject({ status: 200, body: { batch: null } });
    expect(await takeTask(stage, living)).toMatchObject({ batch: null });
    const headers = { 'x-pwc-request-attempt': '-1' };
    const { id, runId, machineId } = living;
    const odd = await stage.api.post(`@/orchestration-v1/${id}/task`, { machineId, runId }, { headers });
    expect(odd).toMatchObject({ status: 200, body: { batch: null } });
  });

  test('If the last machine dies, the run times out and keeps the results that arrived', async () => {
    const { stage, living, lost, ask } = await oneDies(10 * SECOND);
    expect(await ask(0)).toMatchObject({ body: { batch: null } });
    expect((await read(stage.api, `/runs/${living.runId}`)).completionState).toBe('IN_PROGRESS');
    clock.advance(31 * MINUTE);
    await stage.runSchedule('timeOutRuns');
    const run = await read(stage.api, `/runs/${living.runId}`);
    expect(run).toMatchObject({ completionState: 'TIMEOUT', status: 'FAILED' });
    expect(run.groups).toMatchObject([{ tests: { overall: 1, passes: 1 }, instances: { overall: 2, complete: 1 } }]);
    expect(run.specs.map(({ spec, machineId }: Session & { spec: string }) => [spec, machineId])).toContainEqual([
      lost[0]?.slice('retail '.length),
      '',
    ]);
    expect(await ask(1)).toMatchObject({ status: 422, body: { code: 'RUN_EXPIRED' } });
  });
});

describe('A machine with a file of ten one-minute tests', () => {
  const tests = Array.from({ length: 10 }, (_, index) => `long.spec.ts > test ${index}`);
  const suite = [suiteGroup('retail', tests)];

  async function begun() {
    const stage = await service();
    const earlier = await claim(stage, await startRun(stage, suite, { ciBuildId: 'earlier' }), 'long.spec.ts');
    for (const title of tests) {
      const minute = attempt('passed', { duration: MINUTE, startTime: new Date(Date.now()).toISOString() });
      await createRecord(stage, earlier, title, passed({ attempts: [minute] }));
      clock.advance(MINUTE);
    }
    await compileRuns(stage);
    const busy = await startSession(stage, suite, { machineId: 'busy' });
    const idle = await startSession(stage, suite, { machineId: 'idle' });
    const task = await takeTask(stage, busy);
    expect(task.batch?.tasks[0]?.score).toBe(10 * MINUTE);
    const claimed = await claim(stage, await startRun(stage, suite, { machineId: 'busy' }), 'long.spec.ts');
    const gets = async () => specsOf(await takeTask(stage, idle));
    return { stage, claimed, gets };
  }

  test('A machine is considered dead two minutes after the expected end of its spec file', async () => {
    const { stage, claimed, gets } = await begun();
    clock.advance(5 * MINUTE);
    await createRecord(stage, claimed, tests[4] ?? '', running());
    clock.advance(6.9 * MINUTE);
    expect(await gets()).toEqual([]);
    clock.advance(0.5 * MINUTE);
    expect(await gets()).toEqual(['retail long.spec.ts']);
  });

  test('A machine is considered alive for five minutes after a report that arrives later than the expected end of its spec file', async () => {
    const { stage, claimed, gets } = await begun();
    clock.advance(14 * MINUTE);
    await createRecord(stage, claimed, tests[9] ?? '', running());
    clock.advance(4.9 * MINUTE);
    expect(await gets()).toEqual([]);
    clock.advance(0.5 * MINUTE);
    expect(await gets()).toEqual(['retail long.spec.ts']);
  });
});
