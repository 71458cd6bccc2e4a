import { describe, expect, test } from 'vitest';
import { claim, createRecord, idempotencyKey, recordRun, startRun } from '#test/harness/recording.ts';
import { COMMIT, failed, passed, runBody, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const SUITE = [
  suiteGroup('retail', ['cart.spec.ts > a', 'cart.spec.ts > b', 'price.spec.ts > c'], { environment: 'staging' }),
  suiteGroup('wholesale', ['cart.spec.ts > a'], { tags: ['trade'] }),
];

describe('Starting a run', () => {
  test('returns the ids and links that a reporter needs', async () => {
    const tenant = await service();
    const answer = await tenant.api.post('@/runs/v1', runBody(tenant.projectId, SUITE), idempotencyKey());
    const { runId, machineId } = answer.body;
    expect(answer.body).toEqual({
      runId: expect.stringMatching(/^[0-9a-f]{16}$/),
      groupId: 'retail',
      machineId: expect.stringMatching(/./),
      ciBuildId: 'build-1',
      runUrl: `${tenant.origin}/${tenant.organizationId}/${tenant.projectId}/runs/${runId}`,
      dashboardUrl: `${tenant.origin}/${tenant.organizationId}/${tenant.projectId}/runs/${runId}`,
      isNewRun: true,
      cancellation: null,
      warnings: [],
    });
    expect(machineId).not.toBe('');
    const visitor = await signedIn(tenant, 'guest');
    expect((await visitor.get(new URL(answer.body.runUrl).pathname)).status).toBe(200);
  });

  test('joins the run of the same build, and creates a run for another build or project', async () => {
    const tenant = await service();
    const other = await tenant.tenant('Other');
    const first = await startRun(tenant, SUITE);
    const second = await startRun(tenant, SUITE, { group: 'wholesale' });
    expect(second).toMatchObject({ runId: first.runId, groupId: 'wholesale', isNewRun: false });
    expect(second.machineId).not.toBe(first.machineId);
    const another = [await startRun(tenant, SUITE, { ciBuildId: 'build-2' }), await startRun(other, SUITE)];
    for (const { runId, isNewRun } of another) expect([runId === first.runId, isNewRun]).toEqual([false, true]);
  });

  test('keeps the machine id that the request contains', async () => {
    const tenant = await service();
    expect((await startRun(tenant, SUITE, { machineId: 'shard-7' })).machineId).toBe('shard-7');
  });

  test('takes the build id from the CI data, and creates a new run if there is no build id', async () => {
    const tenant = await service();
    const inFacts = { ciBuildId: null, ci: { ciBuildId: { source: 'user', value: 'build-9' } } };
    expect((await startRun(tenant, SUITE, inFacts)).ciBuildId).toBe('build-9');
    const first = await startRun(tenant, SUITE, { ciBuildId: null });
    const two = await startRun(tenant, SUITE, { ciBuildId: '' });
    expect(first.runId).not.toBe(two.runId);
    const [again, repeated] = await Promise.all(
      [1, 2].map(() =>
        tenant.api.post('@/runs/v1', runBody(tenant.projectId, SUITE, { ciBuildId: null }), idempotencyKey('k')),
      ),
    );
    expect(again?.body).toEqual(repeated?.body);
  });

  test('lists every spec file of every group as unclaimed', async () => {
    const tenant = await service();
    const { runId } = await startRun(tenant, SUITE);
    const { specs, groups, durationMs, status, completionState } = await read(tenant.api, `/runs/${runId}`);
    const unclaimed = { claimedAt: null, completedAt: null, machineId: '', results: null };
    expect(specs).toMatchObject([
      { groupId: 'retail', spec: 'cart.spec.ts', tags: [], ...unclaimed },
      { groupId: 'retail', spec: 'price.spec.ts', tags: [], ...unclaimed },
      { groupId: 'wholesale', spec: 'cart.spec.ts', tags: ['trade'], ...unclaimed },
    ]);
    expect(groups).toMatchObject([
      { groupId: 'retail', environment: 'staging', specCount: 2, tests: { tests: 3, overall: 0 }, durationMs: null },
      { groupId: 'wholesale', environment: null, specCount: 1, tests: { tests: 1, overall: 0 }, durationMs: null },
    ]);
    expect({ durationMs, status, completionState }).toEqual({
      durationMs: null,
      status: 'RUNNING',
      completionState: 'IN_PROGRESS',
    });
  });

  test('Starting a run again adds the new tags and tests', async () => {
    const tenant = await service();
    const { runId } = await startRun(tenant, SUITE, { tags: ['nightly'] });
    const wider = [suiteGroup('retail', ['cart.spec.ts > a', 'cart.spec.ts > new', 'new.spec.ts > x'])];
    await startRun(tenant, wider, { tags: ['nightly', 'slow'] });
    const { tags, groups } = await read(tenant.api, `/runs/${runId}`);
    expect([...tags].sort()).toEqual(['nightly', 'slow', 'trade']);
    expect(groups[0]).toMatchObject({ specCount: 3, tests: { tests: 5 } });
  });

  test('records the pull request that the CI event names', async () => {
    const tenant = await service();
    const ghaEventData = { htmlUrl: 'https://git.example.com/shop/checkout/pull/512', prTitle: 'Net prices' };
    const { runId } = await startRun(tenant, SUITE, { commit: { ...COMMIT, ghaEventData } });
    expect((await read(tenant.api, `/runs/${runId}`)).meta.pr).toEqual({ id: '512', title: 'Net prices' });
  });
});

describe('Claiming a spec file', () => {
  test('records the machine and the time, and a request with the same idempotency key does not count as a second claim', async () => {
    const tenant = await service();
    const run = await startRun(tenant, SUITE);
    clock.advance(5000);
    const body = {
      groupId: 'retail',
      spec: 'cart.spec.ts',
      machineId: run.machineId,
      worker: { workerIndex: 3, parallelIndex: 1 },
    };
    const send = (key: string) => tenant.api.post(`@/runs/${run.runId}/pw/instances/v1`, body, idempotencyKey(key));
    const first = await send('one');
    clock.advance(5000);
    expect((await send('one')).body).toEqual(first.body);
    expect((await send('two')).body).toEqual({ ...first.body, claimedCount: 2 });
    const { specs } = await read(tenant.api, `/runs/${run.runId}`);
    const { claimList, claimedAt, worker } = await read(tenant.api, `/instances/${first.body.instanceId}`);
    expect(claimList).toEqual([
      { machineId: run.machineId, t: '2026-11-02T10:00:05.000Z' },
      { machineId: run.machineId, t: '2026-11-02T10:00:10.000Z' },
    ]);
    expect([claimedAt, worker]).toEqual(['2026-11-02T10:00:05.000Z', { workerIndex: 3, parallelIndex: 1 }]);
    expect(specs[0]).toMatchObject({ claimedAt, machineId: run.machineId, worker });
  });

  test('does not require a worker index', async () => {
    const tenant = await service();
    const { runId } = await startRun(tenant, SUITE);
    for (const worker of [{ workerIndex: -1, parallelIndex: -1 }, null, undefined]) {
      const body = { groupId: 'retail', spec: 'cart.spec.ts', worker };
      expect(await tenant.api.post(`@/runs/${runId}/pw/instances/v1`, body)).toMatchObject({ status: 200 });
    }
  });
});

describe('A run', () => {
  test('ends with its last expected test, and has the status FAILING after its first failure', async () => {
    const tenant = await service();
    const run = await startRun(tenant, SUITE);
    const seen: string[] = [];
    const report = async (group: string, name: string, state = passed()) => {
      clock.advance(10_000);
      const claimed = await claim(tenant, { ...run, groupId: group }, name.split(' > ')[0] ?? '');
      await createRecord(tenant, claimed, name, state);
      const { status, completionState, durationMs } = await read(tenant.api, `/runs/${run.runId}`);
      seen.push(`${status} ${completionState} ${durationMs}`);
    };
    await report('retail', 'cart.spec.ts > a');
    await report('retail', 'cart.spec.ts > b', failed());
    await report('wholesale', 'cart.spec.ts > a');
    await report('retail', 'price.spec.ts > c');
    expect(seen).toEqual([
      'RUNNING IN_PROGRESS null',
      'FAILING IN_PROGRESS null',
      'FAILING IN_PROGRESS null',
      'FAILED COMPLETE 40000',
    ]);
    const { groups } = await read(tenant.api, `/runs/${run.runId}`);
    expect(groups).toMatchObject([{ durationMs: 30_000 }, { durationMs: 0 }]);
  });

  test('does not complete while an expected test has no result', async () => {
    const tenant = await service();
    const { runId } = await recordRun(tenant, {
      retail: { tests: { 'a.spec.ts > 1': passed(), 'a.spec.ts > 2': undefined } },
    });
    clock.advance(3_600_000);
    const { completionState, groups } = await read(tenant.api, `/runs/${runId}`);
    expect({ completionState, groups }).toMatchObject({
      completionState: 'IN_PROGRESS',
      groups: [{ tests: { overall: 1, tests: 2 }, instances: { overall: 1, claimed: 1, complete: 0, passes: 0 } }],
    });
  });
});
