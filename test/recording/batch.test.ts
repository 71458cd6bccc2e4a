import { describe, expect, test } from 'vitest';
import { query } from '#test/harness/client.ts';
import { batchInstance, sendUpload, upload, uploadBody } from '#test/harness/recording-batch.ts';
import {
  attempt,
  failed,
  flaky,
  passed,
  pending,
  type SuiteGroup,
  skipped,
  suiteGroup,
  type TestState,
} from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { rowsOfRun } from '#test/harness/recording-rows.ts';
import { clock, service } from '#test/harness/service.ts';

const UNIT = ['cart.test.ts > sums', 'cart.test.ts > refuses', 'price.test.ts > rounds'] as const;
const [SUMS, REFUSES, ROUNDS] = UNIT;
const SUITE = [suiteGroup('unit', UNIT), suiteGroup('contract', [SUMS], { tags: ['nightly'] })];
const cart = (sums: TestState = passed(), refuses: TestState = failed()) =>
  batchInstance('unit', 'cart.test.ts', { [SUMS]: sums, [REFUSES]: refuses });
const price = () => batchInstance('unit', 'price.test.ts', { [ROUNDS]: flaky() });
const contract = () => batchInstance('contract', 'cart.test.ts', { [SUMS]: passed() });

/** One request of `currents upload`. For each group, the command sends the suite first, and then the instances. */
type Call = readonly [suite: readonly SuiteGroup[], instances: readonly object[], more: object];
const calls = (more: object = {}): [Call, ...Call[]] => [
  [SUITE, [], { group: 'unit', ...more }],
  [[], [cart()], { group: 'unit', ...more }],
  [[], [price()], { group: 'unit', ...more }],
  [SUITE, [], { group: 'contract', ...more }],
  [[], [contract()], { group: 'contract', ...more }],
];

describe('POST /v1/runs', () => {
  test('records complete instances, and completes the run with the last expected instance', async () => {
    const tenant = await service();
    const states: string[] = [];
    let runId = '';
    for (const call of calls()) {
      ({ runId } = await upload(tenant, ...call));
      const { status, completionState } = await read(tenant.api, `/runs/${runId}`);
      states.push(`${completionState} ${status}`);
    }
    expect(states).toEqual([
      'IN_PROGRESS RUNNING',
      'IN_PROGRESS FAILING',
      'IN_PROGRESS FAILING',
      'IN_PROGRESS FAILING',
      'COMPLETE FAILED',
    ]);
    const { groups, meta } = await read(tenant.api, `/runs/${runId}`);
    const none = { pending: 0, skipped: 0, flaky: 0, retries: 0 };
    expect(groups).toMatchObject([
      { groupId: 'contract', tags: ['nightly'], tests: { ...none, overall: 1, tests: 1, passes: 1, failures: 0 } },
      { groupId: 'unit', tests: { ...none, overall: 3, tests: 3, passes: 2, failures: 1, flaky: 1, retries: 2 } },
    ]);
    expect(meta.framework).toEqual({ type: 'vitest', version: '3.2.4', clientVersion: '1.10.0' });
  });

  test('keeps the reported outcome of each test, even if a test that is reported as pending has no annotation to confirm it', async () => {
    const tenant = await service();
    const converted = pending({ annotations: [], expectedStatus: 'passed' });
    await upload(tenant, SUITE, [cart(converted, skipped({ _s: 'skipped' }))], { group: 'unit' });
    expect(await historyOf(tenant, { spec: 'cart.test.ts', title: ['sums'] })).toMatchObject([{ status: 'pending' }]);
    expect(await historyOf(tenant, { spec: 'cart.test.ts', title: ['refuses'] })).toMatchObject([
      { status: 'skipped' },
    ]);
  });

  test('completes each instance immediately, with its tests, errors and counters', async () => {
    const tenant = await service();
    const { runId } = await upload(tenant, SUITE, [cart()], { group: 'unit' });
    const { specs } = await read(tenant.api, `/runs/${runId}`);
    const own = specs.find(
      ({ groupId, spec }: Record<string, string>) => groupId === 'unit' && spec === 'cart.test.ts',
    );
    const instance = await read(tenant.api, `/instances/${own.instanceId}`);
    expect(own).toMatchObject({ completedAt: expect.any(String), machineId: 'machine00001' });
    expect(instance).toMatchObject({
      completedAt: own.completedAt,
      claimedAt: own.claimedAt,
      results: {
        stats: { overall: 2, passes: 1, failures: 1, retries: 1 },
        tests: [
          { title: ['refuses'], state: 'failed', displayError: 'Error: expected 2, received 3', attempts: [{}, {}] },
          { title: ['sums'], state: 'passed' },
        ],
      },
    });
  });

  test('computes the duration of a group from the times of its tests, not from the time of their upload', async () => {
    const tenant = await service();
    const took = (startTime: string, duration: number) =>
      passed({ attempts: [attempt('passed', { startTime, duration })] });
    const early = took('2026-03-04T09:30:00.000Z', 700);
    const late = took('2026-03-04T09:30:02.000Z', 500);
    const { runId } = await upload(tenant, [suiteGroup('unit', [SUMS, REFUSES])], [cart(early, late)], {
      group: 'unit',
    });
    const { groups, specs } = await read(tenant.api, `/runs/${runId}`);
    expect(groups).toMatchObject([{ durationMs: 2500 }]);
    expect(specs).toMatchObject([{ claimedAt: '2026-03-04T09:30:00.000Z', completedAt: '2026-03-04T09:30:02.500Z' }]);
  });

  test('does not store the record key, which `config` contains', async () => {
    const tenant = await service();
    const { runId } = await upload(tenant, SUITE, [cart(), price(), contract()], { group: 'unit' });
    const rows = await rowsOfRun(tenant.environment, runId);
    expect(rows.length).toBeGreaterThan(10);
    expect(JSON.stringify(rows)).not.toContain(tenant.keys.readWrite);
  });
});

describe('A repeated upload', () => {
  const all = async (tenant: Awaited<ReturnType<typeof service>>, more: object = {}) => {
    const bodies: unknown[] = [];
    for (const call of calls(more)) bodies.push(await upload(tenant, ...call));
    return bodies;
  };

  test('A repeated upload from the same machine gets the same answer and adds no row', async () => {
    const tenant = await service();
    const first = await all(tenant);
    const { runId } = await upload(tenant, ...calls()[0]);
    const rows = await rowsOfRun(tenant.environment, runId);
    clock.advance(60_000);
    expect(await all(tenant)).toEqual(first);
    expect(await rowsOfRun(tenant.environment, runId)).toEqual(rows);
  });

  test('An upload that another machine repeats days later adds no row', async () => {
    const tenant = await service();
    await all(tenant);
    const { runId } = await upload(tenant, ...calls()[0]);
    const rows = await rowsOfRun(tenant.environment, runId);
    clock.advance(3 * 24 * 3_600_000);
    await all(tenant, { machineId: 'machine00002' });
    expect(await rowsOfRun(tenant.environment, runId)).toEqual(rows);
  });

  test('replaces the earlier results in counters and history if the new results differ', async () => {
    const tenant = await service();
    await all(tenant);
    const { runId } = await upload(tenant, [], [cart(passed(), passed())], { group: 'unit' });
    const { status, groups } = await read(tenant.api, `/runs/${runId}`);
    expect({ status, unit: groups[1] }).toMatchObject({
      status: 'PASSED',
      unit: { tests: { overall: 3, failures: 0 } },
    });
    const [execution, ...others] = await historyOf(tenant, { spec: 'cart.test.ts', title: ['refuses'] });
    expect([execution.status, others]).toEqual(['passed', []]);
    const range = [['date_start', '2026-01-01T00:00:00Z'] as const, ['date_end', '2027-01-01T00:00:00Z'] as const];
    const failures = `/test-results/${execution.signature}${query(...range, ['status[]', 'failed'])}`;
    expect(await read(tenant.api, failures)).toEqual([]);
  });

  test('keeps the tests of both uploads if the second one has different tests of the same spec file', async () => {
    const tenant = await service();
    const halves: Record<string, TestState>[] = [{ [SUMS]: passed() }, { [REFUSES]: failed() }];
    let runId = '';
    for (const half of halves) {
      const instances = [batchInstance('unit', 'cart.test.ts', half)];
      ({ runId } = await upload(tenant, [suiteGroup('unit', [SUMS, REFUSES])], instances, { group: 'unit' }));
    }
    const { completionState, specs } = await read(tenant.api, `/runs/${runId}`);
    const { results } = await read(tenant.api, `/instances/${specs[0].instanceId}`);
    expect(completionState).toBe('COMPLETE');
    expect(results.tests).toMatchObject([{ title: ['refuses'] }, { title: ['sums'] }]);
  });

  test('An upload is refused with RUN_EXPIRED if a new machine sends new results more than a day after the run ended', async () => {
    const tenant = await service();
    await all(tenant);
    clock.advance(24 * 3_600_000 + 1);
    const body = uploadBody(tenant, [], [cart(passed(), passed())], { group: 'unit', machineId: 'machine00002' });
    expect(await sendUpload(tenant, body)).toMatchObject({ status: 422, body: { code: 'RUN_EXPIRED' } });
  });
});
