/** §3, §6 Machines, jobs and files of a build that come after the end of its run. */
import { describe, expect, test, vi } from 'vitest';
import { endMachine } from '#shared/recording/own/end-machine.ts';
import { EndMachineBody } from '#shared/recording/own/recording-wire.ts';
import { marksCorrection } from '#test/harness/analytics.ts';
import { eventsOfRun } from '#test/harness/events.ts';
import { interruptions } from '#test/harness/interruptions.ts';
import { type Job, WAYS } from '#test/harness/jobs.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  sendBatch,
  sendEnd,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';

const MINUTE = 60_000;
const SUMS = 'cart.spec.ts > sums';
const PAYS = 'pay.spec.ts > pays';
type Stage = Awaited<ReturnType<typeof service>>;

const job = (machineId: string, tests: Job['tests'], group = 'default'): Job => ({ machineId, group, tests });

async function record(stage: Stage, ciBuildId: string, of: Job) {
  const one = WAYS['own reporter'](stage, ciBuildId, of);
  await one.start();
  while (await one.report());
  await one.end();
}

const stateOf = async ({ api, projectId }: Stage, ciBuildId: string) => {
  const { runId } = await read(api, `/runs/find?projectId=${projectId}&ciBuildId=${ciBuildId}`);
  const { completionState, status } = await read(api, `/runs/${runId}`);
  return { runId, state: `${completionState} ${status}` };
};

const eventsOf = async (stage: Stage, runId: string) =>
  (await eventsOfRun(stage, runId)).map(
    ({ group, payload: { event, passes, failures } }) => `${event} ${group} ${passes} ${failures}`,
  );

describe('A machine that comes after the end', () => {
  test('announces the end again only for groups whose counters changed, and for all groups if the verdict changed', async () => {
    const stage = await service();
    await record(stage, 'b1', job('m1', { [SUMS]: 'passed' }, 'linux'));
    clock.advance(MINUTE);
    await record(stage, 'b1', job('m2', { [SUMS]: 'passed' }, 'windows'));
    clock.advance(MINUTE);
    await record(stage, 'b1', job('m3', { [PAYS]: 'failed' }, 'windows'));
    const { runId, state } = await stateOf(stage, 'b1');
    expect(state).toBe('COMPLETE FAILED');
    expect(await eventsOf(stage, runId)).toEqual([
      'RUN_START linux 0 0',
      'RUN_FINISH linux 1 0',
      'RUN_START windows 0 0',
      'RUN_FINISH windows 1 0',
      'RUN_FINISH linux 1 0',
      'RUN_FINISH windows 1 1',
    ]);
  });

  test('keeps the run open until it ends, and makes it fail if it dies', async () => {
    const stage = await service();
    await record(stage, 'b1', job('m1', { [SUMS]: 'passed' }));
    const late = WAYS['own reporter'](stage, 'b1', job('m2', { [SUMS]: 'passed' }));
    await late.start();
    expect(await stateOf(stage, 'b1')).toMatchObject({ state: 'IN_PROGRESS RUNNING' });
    await late.report();
    clock.advance(31 * MINUTE);
    await stage.runSchedule('timeOutRuns');
    const { runId, state } = await stateOf(stage, 'b1');
    expect(state).toBe('TIMEOUT FAILED');
    expect(await eventsOf(stage, runId)).toEqual([
      'RUN_START default 0 0',
      'RUN_FINISH default 1 0',
      'RUN_TIMEOUT default 2 0',
    ]);
    await late.end();
    expect(await stateOf(stage, 'b1')).toMatchObject({ state: 'COMPLETE PASSED' });
  });

  test('is no base of comparisons while the run is open', async () => {
    const stage = await service();
    const base = await stateAfter(stage, 'base', job('m1', { [SUMS]: 'failed' }));
    clock.advance(MINUTE);
    const run = await stateAfter(stage, 'b2', job('m1', { [SUMS]: 'failed' }));
    const baseOf = async () => (await read(stage.api, `/runs/${run.runId}/comparison`)).base?.runId;
    expect(await baseOf()).toBe(base.runId);
    const late = WAYS['own reporter'](stage, 'base', job('m2', { [PAYS]: 'passed' }));
    await late.start();
    expect(await baseOf()).toBeUndefined();
    await late.report();
    await late.end();
    expect(await baseOf()).toBe(base.runId);
  });

  test('is refused with RUN_CANCELLED if the run was cancelled, and with RUN_EXPIRED a day after the last end', async () => {
    const stage = await service();
    const start = (ciBuildId: string) =>
      sendStart(stage, startBody([liveGroup('default', [PAYS])], { ciBuildId, machineId: 'm9' }));
    const { runId } = await dataOf(start('b1'));
    await stage.api.put(`/runs/${runId}/cancel`);
    const other = (ciBuildId: string) =>
      sendStart(stage, startBody([liveGroup('default', [PAYS])], { ciBuildId, machineId: 'm10' }));
    expect(await other('b1')).toMatchObject({ status: 422, body: { code: 'RUN_CANCELLED' } });
    await record(stage, 'b2', job('m1', { [SUMS]: 'passed' }));
    clock.advance(24 * 60 * MINUTE + 1);
    expect(await other('b2')).toMatchObject({ status: 422, body: { code: 'RUN_EXPIRED' } });
  });

  test('reopens the run if it had started before the end and still sends results', async () => {
    const stage = await service();
    const start = (machineId: string) => sendStart(stage, startBody([liveGroup('default', [SUMS])], { machineId }));
    const { runId } = await dataOf(start('m1'));
    await dataOf(start('m2'));
    const batch = (machineId: string, state: ReturnType<typeof passed>) =>
      sendBatch(stage, runId, { machineId, sequence: 0, instances: liveInstances('default', { [SUMS]: state }) });
    await dataOf(batch('m1', passed()));
    clock.advance(31 * MINUTE);
    await stage.runSchedule('timeOutRuns');
    expect(await stateOf(stage, 'build-1')).toMatchObject({ state: 'TIMEOUT FAILED' });
    await dataOf(batch('m2', failed()));
    expect(await stateOf(stage, 'build-1')).toMatchObject({ state: 'IN_PROGRESS FAILING' });
    await dataOf(sendEnd(stage, runId, { machineId: 'm2', batches: 1 }));
    await dataOf(sendEnd(stage, runId, { machineId: 'm1', batches: 1 }));
    expect(await stateOf(stage, 'build-1')).toMatchObject({ state: 'COMPLETE FAILED' });
  });
});

test('A machine that restarts with its id and another process loses no batch, and its later results replace the earlier ones', async () => {
  const stage = await service();
  const start = (process: string) =>
    sendStart(stage, startBody([liveGroup('default', [SUMS, PAYS])], { machineId: 'm1', process }));
  const { runId } = await dataOf(start('p1'));
  const batch = (process: string, name: string, state: ReturnType<typeof passed>) => {
    const instances = liveInstances('default', { [name]: state });
    return dataOf(sendBatch(stage, runId, { machineId: 'm1', process, sequence: 0, instances }));
  };
  await batch('p1', SUMS, failed());
  await dataOf(start('p2'));
  await batch('p2', SUMS, passed());
  await dataOf(
    sendBatch(stage, runId, {
      machineId: 'm1',
      process: 'p2',
      sequence: 1,
      instances: liveInstances('default', { [PAYS]: passed() }),
    }),
  );
  await dataOf(sendEnd(stage, runId, { machineId: 'm1', process: 'p2', batches: 2 }));
  const { completionState, status, groups } = await read(stage.api, `/runs/${runId}`);
  expect({ completionState, status, passes: groups[0].tests.passes, overall: groups[0].tests.overall }).toEqual({
    completionState: 'COMPLETE',
    status: 'PASSED',
    passes: 2,
    overall: 2,
  });
});

async function stateAfter(stage: Stage, ciBuildId: string, of: Job) {
  await record(stage, ciBuildId, of);
  return stateOf(stage, ciBuildId);
}

test('The second end of a run is stored and announced exactly once, even if the request is killed after any of its writes', async () => {
  // The object store checks links against the real time.
  vi.useFakeTimers({ toFake: ['Date'], now: performance.timeOrigin + performance.now() });
  const stage = await service();
  const { environment, services, organizationId } = stage;
  await record(stage, 'b1', job('m1', { [SUMS]: 'passed' }));
  clock.advance(MINUTE);
  const late = WAYS['own reporter'](stage, 'b1', job('m2', { [SUMS]: 'failed' }));
  await late.start();
  await late.report();
  const { runId } = await stateOf(stage, 'b1');
  const body = EndMachineBody.parse({ machineId: 'm2', batches: 1 });
  const handle = (given: typeof services) => endMachine(given, { organizationId, runId, body });
  const normal = (line: string) =>
    marksCorrection(line) ? '' : line.replaceAll(/"version":\{"N":"\d+"\}/g, '"version":"any"');
  const { differing, writes } = await interruptions({ environment, services, handle, normal, sample: 4 });
  expect(differing).toEqual([]);
  expect(writes).toBeGreaterThan(1);
});
