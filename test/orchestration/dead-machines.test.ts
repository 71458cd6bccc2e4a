import { describe, expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { runTask, specsOf, startSession, takeAll, takeTask } from '#test/harness/orchestration.ts';
import { claim, createRecord, startRun } from '#test/harness/recording.ts';
import { failed, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';

const FILES = Array.from({ length: 12 }, (_, index) => `file-${index}.spec.ts`);
const SUITE = [
  suiteGroup(
    'retail',
    FILES.map((spec) => `${spec} > works`),
  ),
];
const ALL = FILES.map((spec) => `retail ${spec}`).sort();
const SMALL = [suiteGroup('retail', ['a.spec.ts > works', 'b.spec.ts > works'])];
const MINUTE = 60_000;

type Stage = Awaited<ReturnType<typeof service>>;
const machine = (stage: Stage, machineId: string, suite = SMALL) => startSession(stage, suite, { machineId });

describe('The spec files of a dead machine', () => {
  test('The spec files of a machine that has not reported for two minutes go to another machine, which runs them again', async () => {
    const stage = await service();
    const dead = await machine(stage, 'dead');
    const living = await machine(stage, 'living');
    const lost = await takeTask(stage, dead);
    await runTask(stage, SMALL, dead, lost, running());
    clock.advance(MINUTE);
    expect(specsOf(await takeTask(stage, living))).not.toEqual(specsOf(lost));
    expect(await takeTask(stage, living)).toMatchObject({ batch: null });
    clock.advance(MINUTE + 1500);
    const again = await takeTask(stage, living);
    expect(specsOf(again)).toEqual(specsOf(lost));
    await runTask(stage, SMALL, living, again);
    expect(await takeTask(stage, living)).toMatchObject({ batch: null });
  });

  test('Spec files stay with a machine that still reports its tests', async () => {
    const stage = await service();
    const busy = await machine(stage, 'busy');
    const idle = await machine(stage, 'idle');
    const task = await takeTask(stage, busy);
    await takeTask(stage, idle);
    const run = await startRun(stage, SMALL, { machineId: 'busy' });
    const claimed = await claim(stage, { ...run, machineId: 'busy' }, task.batch?.tasks[0]?.spec ?? '');
    for (let minute = 0; minute < 5; minute += 1) {
      await createRecord(stage, claimed, `${claimed.spec} > works`, running(), minute);
      clock.advance(MINUTE);
      expect(specsOf(await takeTask(stage, idle))).not.toContain(`retail ${claimed.spec}`);
    }
  });

  test('Spec files that a dead machine completed are not run again, even if they failed', async () => {
    const stage = await service();
    const dead = await machine(stage, 'dead');
    const living = await machine(stage, 'living');
    await runTask(stage, SMALL, dead, await takeTask(stage, dead), failed());
    await takeTask(stage, living);
    clock.advance(10 * MINUTE);
    expect(await takeTask(stage, living)).toMatchObject({ batch: null });
  });

  test('Each spec file of a dead machine goes to only one machine, even if many machines ask at the same time', async () => {
    const stage = await service();
    const dead = await startSession(stage, SUITE, { machineId: 'dead', globalWorkers: 4 });
    const lost = specsOf(await takeTask(stage, dead));
    clock.advance(10 * MINUTE);
    const taken = await Promise.all(
      Array.from({ length: cases(40, 6) }, async () => takeAll(stage, await startSession(stage, SUITE))),
    );
    expect(taken.flat().sort()).toEqual(ALL);
    expect(taken.flat()).toEqual(expect.arrayContaining(lost));
  });

  test('Other machines can take the unfinished spec files of a machine immediately if that machine restarts or requests a reset', async () => {
    const stage = await service();
    const dead = await machine(stage, 'dead');
    const living = await machine(stage, 'living');
    const lost = await takeTask(stage, dead);
    await runTask(stage, SMALL, dead, lost, running());
    expect(await machine(stage, 'dead')).toEqual(dead);
    expect(specsOf(await takeTask(stage, living))).toEqual(specsOf(lost));
    const reset = await stage.api.put(`@/runs/v1/${dead.runId}/reset`, {
      machineId: 'living',
      runId: dead.runId,
      isBatchedOr8n: true,
    });
    expect(reset).toMatchObject({ status: 200, body: { data: { instanceIds: [expect.any(String)] } } });
    expect(specsOf(await takeTask(stage, dead))).toEqual(specsOf(lost));
  });
});

describe('The reset of a machine', () => {
  test('A reset that a machine requests lets other machines run its failed spec files again, but not those that passed', async () => {
    const stage = await service();
    const suite = [suiteGroup('retail', ['a.spec.ts > works', 'b.spec.ts > works', 'c.spec.ts > works'])];
    const ending = await machine(stage, 'ending', suite);
    const living = await machine(stage, 'living', suite);
    const open = await takeTask(stage, living);
    const first = await takeTask(stage, ending);
    const second = await takeTask(stage, ending);
    await runTask(stage, suite, ending, first);
    const [failedId] = await runTask(stage, suite, ending, second, failed());
    const answer = await stage.api.put(`@/runs/v1/${ending.runId}/reset`, { machineId: ['ending'] });
    expect(answer).toMatchObject({ status: 200, body: { data: { instanceIds: [failedId] } } });
    const left = await takeAll(stage, living);
    expect(left).toEqual(specsOf(second));
    expect(left).not.toEqual(specsOf(open));
  });

  test('A reset through the REST API lets other machines run all failed spec files of the machine, including those of earlier tasks', async () => {
    const stage = await service();
    const suite = [
      suiteGroup(
        'retail',
        FILES.slice(0, 5).map((spec) => `${spec} > works`),
      ),
    ];
    const failing = await machine(stage, 'failing', suite);
    const living = await machine(stage, 'living', suite);
    const lost: string[] = [];
    for (let task = 0; task < 4; task += 1) {
      const taken = await takeTask(stage, failing);
      lost.push(...specsOf(taken));
      await runTask(stage, suite, failing, taken, failed());
    }
    const answer = await stage.api.put(`/runs/${failing.runId}/reset`, { machineId: ['failing'] });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body.data.instanceIds).toHaveLength(4);
    const left = await takeAll(stage, living);
    expect(left).toHaveLength(5);
    expect(left).toEqual(expect.arrayContaining(lost));
  });

  test('A reset returns 404 for another organization, and frees the unfinished file of the machine in a run without an orchestration session', async () => {
    const stage = await service();
    const session = await machine(stage, 'm1');
    const neighbour = await stage.tenant('Neighbour');
    expect(await neighbour.api.put(`@/runs/v1/${session.runId}/reset`, { machineId: 'm1' })).toMatchObject({
      status: 404,
    });
    const run = await startRun(stage, SMALL, { ciBuildId: 'plain', machineId: 'm1' });
    const { instanceId } = await claim(stage, run, 'a.spec.ts');
    const answer = await stage.api.put(`@/runs/v1/${run.runId}/reset`, { machineId: 'm1' });
    expect(answer).toMatchObject({ status: 200, body: { data: { instanceIds: [instanceId] } } });
  });
});
