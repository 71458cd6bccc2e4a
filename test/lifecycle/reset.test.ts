import { describe, expect, test } from 'vitest';
import { eventsOfRun } from '#test/harness/events.ts';
import { claim, createRecord, recordRun, startRun, updateRecord } from '#test/harness/recording.ts';
import { failed, passed, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';

const CART = 'cart.spec.ts > sums';
const MORE = 'cart.spec.ts > is emptied';
const TAX = 'tax.spec.ts > rounds';
const SUITE = [suiteGroup('retail', [CART, MORE, TAX])];

type Stage = Awaited<ReturnType<typeof service>>;

/**
 * Records a run of two machines with one spec file each: the first file has a failed test and is unfinished, and the
 * second is complete.
 */
async function interrupted(stage: Stage) {
  const run = await startRun(stage, SUITE, { machineId: 'first' });
  const cart = await claim(stage, { ...run, machineId: 'first' }, 'cart.spec.ts');
  const tax = await claim(stage, { ...run, machineId: 'second' }, 'tax.spec.ts');
  const recordId = await createRecord(stage, cart, CART, running());
  await updateRecord(stage, recordId, failed(), 7);
  await createRecord(stage, tax, TAX, passed());
  return { ...run, cart, tax, recordId };
}

const reset = (stage: Stage, runId: string, ...machineId: string[]) =>
  stage.api.put(`/runs/${runId}/reset`, { machineId, isBatchedOr8n: true });

const namesOf = (machines: number): string[] => Array.from({ length: machines }, (_, index) => `m${index}`);

describe('§4.4.3 PUT /runs/{runId}/reset', () => {
  test('A reset releases the unfinished and failed spec files of the given machines, and deletes the results of these files', async () => {
    const stage = await service();
    const { runId, cart, tax } = await interrupted(stage);
    expect(await reset(stage, runId, 'first', 'second')).toMatchObject({
      status: 200,
      body: { data: { runId, instanceIds: [cart.instanceId] } },
    });
    const run = await read(stage.api, `/runs/${runId}`);
    expect(run).toMatchObject({ status: 'RUNNING', completionState: 'IN_PROGRESS' });
    const specs = Object.fromEntries(run.specs.map((spec: { spec: string }) => [spec.spec, spec]));
    expect(specs['cart.spec.ts']).toMatchObject({ machineId: '', claimedAt: null, completedAt: null, results: null });
    expect(specs['tax.spec.ts']).toMatchObject({ machineId: 'second', results: { stats: { passes: 1 } } });
    expect(await historyOf(stage, { spec: 'cart.spec.ts', title: ['sums'] })).toEqual([]);
    expect((await read(stage.api, `/instances/${cart.instanceId}`)).results.tests).toEqual([]);
    expect(await read(stage.api, `/instances/${tax.instanceId}`)).toMatchObject({ results: { stats: { passes: 1 } } });
  });

  test('A reset lets another machine record the unfinished spec file from the start and finish the run', async () => {
    const stage = await service();
    const { runId, groupId } = await interrupted(stage);
    await reset(stage, runId, 'first');
    const again = await claim(stage, { runId, groupId, machineId: 'third' }, 'cart.spec.ts');
    expect(again.claimedCount).toBe(1);
    await createRecord(stage, again, CART, passed());
    await createRecord(stage, again, MORE, passed());
    expect(await read(stage.api, `/runs/${runId}`)).toMatchObject({ status: 'PASSED', completionState: 'COMPLETE' });
    const events = (await eventsOfRun(stage, runId)).map(({ payload }) => [payload.event, payload.overall]);
    expect(events).toEqual([
      ['RUN_START', 0],
      ['RUN_FINISH', 3],
    ]);
    expect(await historyOf(stage, { spec: 'cart.spec.ts', title: ['sums'] })).toMatchObject([{ status: 'passed' }]);
  });

  test('A reset subtracts a completed, failed spec file from the counters of the run', async () => {
    const stage = await service();
    const run = await startRun(stage, SUITE);
    const tax = await claim(stage, { ...run, machineId: 'first' }, 'tax.spec.ts');
    await createRecord(stage, tax, TAX, failed());
    expect((await read(stage.api, `/runs/${run.runId}`)).status).toBe('FAILING');
    await reset(stage, run.runId, 'first');
    const open = await read(stage.api, `/runs/${run.runId}`);
    expect(open).toMatchObject({ status: 'RUNNING', groups: [{ instances: { complete: 0, failures: 0 } }] });
    const cart = await claim(stage, run, 'cart.spec.ts');
    await createRecord(stage, cart, CART, passed());
    await createRecord(stage, cart, MORE, passed());
    expect((await read(stage.api, `/runs/${run.runId}`)).completionState).toBe('IN_PROGRESS');
  });

  test('A reset changes nothing when it is repeated or names unknown machines', async () => {
    const stage = await service();
    const { runId } = await interrupted(stage);
    await reset(stage, runId, 'first');
    const before = await read(stage.api, `/runs/${runId}`);
    expect((await reset(stage, runId, 'first', 'nobody')).body.data.instanceIds).toEqual([]);
    expect(await read(stage.api, `/runs/${runId}`)).toEqual(before);
  });

  test('A reset of a run that has ended is refused with 422', async () => {
    const stage = await service();
    const { runId } = await recordRun(stage, { retail: { tests: { [CART]: failed() } } });
    expect((await reset(stage, runId, 'first')).status).toBe(422);
    expect(await read(stage.api, `/runs/${runId}`)).toMatchObject({ status: 'FAILED', completionState: 'COMPLETE' });
  });

  test.each([1, 63])('The number of machine names in a reset may be %i', async (machines) => {
    const stage = await service();
    const { runId } = await startRun(stage, SUITE);
    expect((await reset(stage, runId, ...namesOf(machines))).status).toBe(200);
  });

  test.each([[[]], [namesOf(64)], ['first'], [undefined]])(
    'A reset is refused without a list of 1 to 63 machine names: %j',
    async (machineId) => {
      const stage = await service();
      const { runId } = await startRun(stage, SUITE);
      expect((await stage.api.put(`/runs/${runId}/reset`, { machineId })).status).toBe(400);
    },
  );
});
