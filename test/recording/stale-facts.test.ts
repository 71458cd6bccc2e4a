/**
 * A container of a function keeps facts about runs and spec files, and reads new ones eventually consistently. Here both
 * are older than a change that decides about the next test.
 */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { stoppedRuns } from '#shared/model/runs/stopped-run.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { claim, firstMessage, idempotencyKey, startRun } from '#test/harness/recording.ts';
import { batchInstance, sendUpload, uploadBody } from '#test/harness/recording-batch.ts';
import { failed, passed, running, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import {
  beforeTableCalls,
  clock,
  readStale,
  serveStaleReads,
  service,
  type Tenant,
  type TestService,
  watchTable,
} from '#test/harness/service.ts';

serveStaleReads();
watchTable();

type Stage = TestService & Tenant;

const SPEC = 'cart.spec.ts';
const SUM = `${SPEC} > sums`;
const NET = `${SPEC} > nets`;
const TAX = `${SPEC} > rounds`;
const UNEXPECTED = `${SPEC} > unexpected`;

/** A run of three tests, of which the container that stores first messages knows everything. */
async function prepareKnownRun(stage: Stage, more: object = {}) {
  readStale('none');
  const run = await startRun(stage, [suiteGroup('retail', [SUM, NET, TAX])], { machineId: 'm1', ...more });
  const claimed = { ...(await claim(stage, { ...run, machineId: 'm1' }, SPEC)), machineId: 'm1' };
  expect((await send(stage, claimed, SUM, passed())).status).toBe(200);
  return { run, claimed };
}

type Place = Awaited<ReturnType<typeof prepareKnownRun>>['claimed'];

const send = ({ api }: Stage, place: Place, name: string, state: TestState, machineId = 'm1') =>
  api.post('@/test-record', { ...firstMessage(place, name, state), machineId }, idempotencyKey());

async function readRun({ api }: Stage, runId: string) {
  readStale('none');
  return (await api.get(`/runs/${runId}`)).body.data;
}

describe.each(['second', 'write'] as const)('§3 If what a container knows and reads is old (%s)', (staleness) => {
  test('a test that begins after the cancellation of its run is refused', async () => {
    const stage = await service();
    const { run, claimed } = await prepareKnownRun(stage);
    readStale(staleness);
    expect((await stage.api.put(`/runs/${run.runId}/cancel`)).status).toBe(200);
    clock.advance(1);
    const later = {
      ...running(),
      attempts: running().attempts.map((one) => ({ ...one, startTime: new Date().toISOString() })),
    };
    expect((await send(stage, claimed, NET, later)).body.code).toBe('RUN_CANCELLED');
  });

  test('a test of a deleted run is refused, and leaves nothing', async () => {
    const stage = await service();
    const { run, claimed } = await prepareKnownRun(stage);
    readStale(staleness);
    expect((await stage.api.send('DELETE', `/runs/${run.runId}`)).status).toBe(200);
    expect((await send(stage, claimed, NET, failed())).status).toBe(404);
  });

  test('an unexpected test that fails after the end of its run makes the run fail', async () => {
    const stage = await service();
    const { run, claimed } = await prepareKnownRun(stage);
    readStale(staleness);
    for (const name of [NET, TAX]) expect((await send(stage, claimed, name, passed())).status).toBe(200);
    expect(await readRun(stage, run.runId)).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
    readStale(staleness);
    expect((await send(stage, claimed, UNEXPECTED, failed())).status).toBe(200);
    const { status, groups } = await readRun(stage, run.runId);
    expect({ status, failures: groups[0].tests.failures }).toEqual({ status: 'FAILED', failures: 1 });
  });

  test('an unexpected test that passes after the end of its run is counted', async () => {
    const stage = await service();
    const { run, claimed } = await prepareKnownRun(stage);
    readStale(staleness);
    for (const name of [NET, TAX, UNEXPECTED]) expect((await send(stage, claimed, name, passed())).status).toBe(200);
    expect((await readRun(stage, run.runId)).groups[0].tests).toMatchObject({ overall: 4, passes: 4 });
  });

  test('a run that timed out becomes complete with its last test', async () => {
    const stage = await service();
    const { run, claimed } = await prepareKnownRun(stage);
    clock.advance(31 * 60_000);
    await stage.runSchedule('timeOutRuns');
    expect(await readRun(stage, run.runId)).toMatchObject({ completionState: 'TIMEOUT', status: 'FAILED' });
    readStale(staleness);
    for (const name of [NET, TAX]) expect((await send(stage, claimed, name, passed())).status).toBe(200);
    expect(await readRun(stage, run.runId)).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
  });

  test('a streamed test does not replace the failure that another machine has uploaded', async () => {
    const stage = await service();
    const { run, claimed } = await prepareKnownRun(stage, { ciBuildId: 'two sources' });
    readStale(staleness);
    const instances = [batchInstance('retail', SPEC, { [NET]: failed() })];
    const upload = uploadBody(stage, [], instances, { ciBuildId: 'two sources', group: 'retail', machineId: 'm2' });
    expect((await sendUpload(stage, upload)).status).toBe(200);
    for (const name of [NET, TAX]) expect((await send(stage, claimed, name, passed())).status).toBe(200);
    const { status, groups } = await readRun(stage, run.runId);
    expect({ status, failures: groups[0].tests.failures, passes: groups[0].tests.passes }).toEqual({
      status: 'FAILED',
      failures: 1,
      passes: 3,
    });
  });

  test('a test has the tags with which its machine has just joined the run', async () => {
    const stage = await service();
    const { run, claimed } = await prepareKnownRun(stage, { tags: ['first'], ciBuildId: 'tags' });
    readStale(staleness);
    const more = { machineId: 'm2', tags: ['second'], ciBuildId: 'tags' };
    await startRun(stage, [suiteGroup('retail', [SUM, NET, TAX])], more);
    await claim(stage, { ...run, machineId: 'm2' }, SPEC);
    expect((await send(stage, claimed, NET, passed(), 'm2')).status).toBe(200);
    readStale('none');
    const { body } = await stage.api.get(`/instances/${claimed.instanceId}`);
    expect(JSON.stringify(body)).toContain('second');
  });

  test('a spec file that was reset gets new results, and its run ends', async () => {
    const stage = await service();
    const { run, claimed } = await prepareKnownRun(stage);
    readStale(staleness);
    expect((await stage.api.put(`/runs/${run.runId}/reset`, { machineId: ['m1'] })).status).toBe(200);
    await claim(stage, { ...run, machineId: 'm1' }, SPEC);
    for (const name of [SUM, NET, TAX]) expect((await send(stage, claimed, name, passed())).status).toBe(200);
    expect(await readRun(stage, run.runId)).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
  });
});

describe('The marks of a stopped run', () => {
  const readEnds = async ({ services, organizationId }: Stage, runId: string) => {
    const keys = Array.from({ length: 8 }, (_, shard) => ({ organizationId, runId, shard }));
    const marks = await services.table.getMany(stoppedRuns, keys, { consistent: true });
    return [...new Set(marks.map((mark) => mark && (mark.expiresAt ?? 'never')))];
  };

  test('expire with the results of a cancelled run, and a day after the deletion of a run', async () => {
    const stage = await service();
    const settings = { retention: { resultsDays: 3, evidenceDays: 2, filesDays: 1 } };
    const { organizationId, projectId } = stage;
    await changeProjectSettings(stage.services, { organizationId, projectId, actor: OPERATOR, settings });
    const { run } = await prepareKnownRun(stage);
    expect(await readEnds(stage, run.runId)).toEqual([undefined]);
    await stage.api.put(`/runs/${run.runId}/cancel`);
    const daysFromNow = (days: number) => Date.now() / 1000 + days * 86_400;
    expect(await readEnds(stage, run.runId)).toEqual([expect.closeTo(daysFromNow(3), -3)]);
    await stage.api.send('DELETE', `/runs/${run.runId}`);
    expect(await readEnds(stage, run.runId)).toEqual([expect.closeTo(daysFromNow(1), -3)]);
  });

  test('are removed when a machine reopens a run that timed out', async () => {
    const stage = await service();
    const { run } = await prepareKnownRun(stage, { ciBuildId: 'reopened' });
    clock.advance(31 * 60_000);
    await stage.runSchedule('timeOutRuns');
    expect(await readEnds(stage, run.runId)).toEqual(['never']);
    await startRun(stage, [suiteGroup('retail', [SUM])], { machineId: 'm2', ciBuildId: 'reopened' });
    expect(await readEnds(stage, run.runId)).toEqual([undefined]);
  });
});

describe('The first message about a test', () => {
  test('reads nothing in the partition of its run if its container knows the run and the spec file', async () => {
    const stage = await service();
    const { claimed } = await prepareKnownRun(stage);
    const calls: string[] = [];
    await beforeTableCalls(
      ({ operation, body }) => void calls.push(`${operation} ${body}`),
      () => send(stage, claimed, NET, running()),
    );
    expect(calls.filter((call) => call.includes('"RUN#'))).toEqual([]);
    expect(calls.filter((call) => call.startsWith('BatchGetItem') && call.includes('STOPPED#'))).toHaveLength(1);
  });

  test('is read eventually consistently again after ten seconds', async () => {
    const stage = await service();
    const { claimed } = await prepareKnownRun(stage);
    clock.advance(11_000);
    const reads: string[] = [];
    await beforeTableCalls(
      ({ body }) => void (body.includes('"RUN#') && reads.push(body)),
      () => send(stage, claimed, NET, running()),
    );
    expect(reads.map((body) => body.includes('"ConsistentRead":true'))).toEqual([false]);
  });
});
