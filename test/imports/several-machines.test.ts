import { describe, expect, test } from 'vitest';
import { eventsOfRun } from '#test/harness/events.ts';
import { recordRun } from '#test/harness/recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';
import { imported, junit, sendReport } from './reports.ts';

const CART = junit({ 'cart.test.ts': { sums: 'passed', rounds: 'passed' } });
const PRICE = junit({ 'price.test.ts': { adds: 'passed' } });
const BROKEN = junit({ 'price.test.ts': { adds: 'failed' } });

type Stage = Awaited<ReturnType<typeof service>>;
const stateOf = async ({ api }: Stage, runId: string) => {
  const { status, completionState, groups } = await read(api, `/runs/${runId}`);
  const tests = groups.reduce((sum: number, group: { tests: { overall: number } }) => sum + group.tests.overall, 0);
  return `${completionState} ${status} ${tests}`;
};
const ends = async (stage: Stage, runId: string) =>
  (await eventsOfRun(stage, runId)).flatMap(({ payload: { event, overall } }) =>
    event === 'RUN_FINISH' ? [overall] : [],
  );

describe('Imports with the same build id', () => {
  test('Imports with the same build id join one run, even concurrently and after the run has completed', async () => {
    const tenant = await service();
    const [first, second] = await Promise.all([
      imported(tenant, CART, 'ciBuildId=b1&machineId=m1'),
      imported(tenant, PRICE, 'ciBuildId=b1&machineId=m2'),
    ]);
    expect(second.runId).toBe(first.runId);
    expect(await stateOf(tenant, first.runId)).toBe('COMPLETE PASSED 3');
    clock.advance(60_000);
    await imported(tenant, junit({ 'late.test.ts': { waits: 'failed' } }), 'ciBuildId=b1&machineId=m3&group=late');
    expect(await stateOf(tenant, first.runId)).toBe('COMPLETE FAILED 4');
    expect(await ends(tenant, first.runId)).toHaveLength(1);
  });

  test('Imports with the same build id are combined, and the last result of each test counts', async () => {
    const tenant = await service();
    const { runId } = await imported(tenant, BROKEN, 'ciBuildId=b1');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE FAILED 1');
    await imported(tenant, PRICE, 'ciBuildId=b1');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE PASSED 1');
  });

  test('Imports with complete=false keep the run open until an import without that parameter ends the run with all tests', async () => {
    const tenant = await service();
    const { runId } = await imported(tenant, CART, 'ciBuildId=b1&complete=false');
    expect(await stateOf(tenant, runId)).toBe('IN_PROGRESS RUNNING 2');
    await imported(tenant, BROKEN, 'ciBuildId=b1&complete=false');
    expect(await stateOf(tenant, runId)).toBe('IN_PROGRESS FAILING 3');
    await imported(tenant, junit({ 'last.test.ts': { ends: 'passed' } }), 'ciBuildId=b1');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE FAILED 4');
    expect(await ends(tenant, runId)).toEqual([4]);
  });

  test('An empty request with complete=true ends the run, can be repeated, and gets 404 if there is no run', async () => {
    const tenant = await service();
    expect((await sendReport(tenant, '', 'ciBuildId=b1&complete=true')).status).toBe(404);
    const { runId } = await imported(tenant, CART, 'ciBuildId=b1&complete=false');
    for (const _ of [1, 2]) {
      const ended = await imported(tenant, '', 'ciBuildId=b1&complete=true');
      expect(ended).toMatchObject({ runId, state: 'recorded', files: [] });
      expect(await stateOf(tenant, runId)).toBe('COMPLETE PASSED 2');
    }
    expect(await ends(tenant, runId)).toEqual([2]);
  });

  test('An empty request with status=failed marks the run as failed, even if the run has already passed', async () => {
    const tenant = await service();
    const { runId } = await imported(tenant, CART, 'ciBuildId=b1');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE PASSED 2');
    await imported(tenant, '', 'ciBuildId=b1&status=failed');
    expect(await stateOf(tenant, runId)).toBe('COMPLETE FAILED 2');
  });

  test('A dry run of an empty request with complete=true is refused, and does not end the run', async () => {
    const tenant = await service();
    const { runId } = await imported(tenant, CART, 'ciBuildId=b1&complete=false');
    expect((await sendReport(tenant, '', 'ciBuildId=b1&complete=true&dryRun=true')).status).toBe(400);
    expect(await stateOf(tenant, runId)).toBe('IN_PROGRESS RUNNING 2');
  });

  test('A run that is kept open by complete=false times out without passing if the remaining imports do not arrive, and passes once they do', async () => {
    const tenant = await service();
    const { runId } = await imported(tenant, CART, 'ciBuildId=b1&complete=false');
    clock.advance(24 * 60 * 60 * 1000);
    await tenant.runSchedule('timeOutRuns');
    expect(await stateOf(tenant, runId)).toBe('TIMEOUT FAILED 2');
    await imported(tenant, PRICE, 'ciBuildId=b1');
    expect(await stateOf(tenant, runId)).toBe('TIMEOUT PASSED 3');
  });

  test('Imports join neither a cancelled run nor an ended run that a reporter recorded', async () => {
    const tenant = await service();
    const ended = await recordRun(tenant, { retail: { tests: { 'cart.test.ts > sums': passed() } } });
    const { ciBuildId } = await read(tenant.api, `/runs/${ended.runId}`).then(({ meta }) => meta);
    expect(await sendReport(tenant, PRICE, `ciBuildId=${ciBuildId}`)).toMatchObject({
      status: 422,
      body: { code: 'RUN_EXPIRED' },
    });
    const { runId } = await imported(tenant, CART, 'ciBuildId=b2&complete=false');
    await tenant.api.put(`/runs/${runId}/cancel`);
    expect(await sendReport(tenant, PRICE, 'ciBuildId=b2')).toMatchObject({
      status: 422,
      body: { code: 'RUN_CANCELLED' },
    });
  });

  test('Imports with the same build id create separate runs in different organizations', async () => {
    const tenant = await service();
    const other = await tenant.tenant();
    const runs = [await imported(tenant, CART, 'ciBuildId=b1'), await imported(other, CART, 'ciBuildId=b1')];
    expect(runs[0].runId).not.toBe(runs[1].runId);
  });
});
