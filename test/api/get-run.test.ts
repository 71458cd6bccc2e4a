import { describe, expect, test } from 'vitest';
import { runs } from '#shared/model/runs/run.ts';
import { claim, createRecord, recordRun, startRun } from '#test/harness/recording.ts';
import { COMMIT, failed, flaky, passed, pending, skipped, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';

const SUMS = 'cart.spec.ts > cart > sums';
const FAILS = 'cart.spec.ts > fails';
const PAYS = 'pay.spec.ts > pays';

describe('GET /runs/{runId}', () => {
  test('returns the partial results of a run in progress', async () => {
    const tenant = await service();
    const suite = [suiteGroup('retail', [SUMS, FAILS, PAYS], { tags: ['shop'], environment: 'staging' })];
    const run = await startRun(tenant, suite, { tags: ['nightly'], machineId: 'machine-1' });
    clock.advance(1000);
    const claimed = await claim(tenant, run, 'cart.spec.ts');
    clock.advance(2000);
    await createRecord(tenant, claimed, SUMS, flaky());
    await createRecord(tenant, claimed, FAILS, failed());
    const { status, body } = await tenant.reader.get(`/runs/${run.runId}`);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        status: 'OK',
        data: {
          runId: run.runId,
          projectId: tenant.projectId,
          createdAt: '2026-11-02T10:00:00.000Z',
          durationMs: null,
          tags: ['nightly', 'shop'],
          status: 'FAILING',
          completionState: 'IN_PROGRESS',
          timeout: { isTimeout: false },
          cancellation: null,
          groups: [
            {
              groupId: 'retail',
              platform: { osName: 'linux', osVersion: 'Debian - 12', browserName: null, browserVersion: null },
              instances: { overall: 2, claimed: 1, complete: 1, passes: 0, failures: 1 },
              tests: { overall: 2, tests: 3, passes: 1, failures: 1, pending: 0, skipped: 0, flaky: 1, retries: 2 },
              tags: ['shop'],
              environment: 'staging',
              coverageEnabled: false,
              durationMs: 2000,
              specCount: 2,
            },
          ],
          meta: {
            ciBuildId: 'build-1',
            title: 'Let traders see net prices',
            pr: null,
            commit: { ...COMMIT, message: 'Let traders see net prices', defaultBranch: null },
            framework: { type: 'pw', version: null, clientVersion: null },
          },
          specs: [
            {
              spec: 'cart.spec.ts',
              groupId: 'retail',
              instanceId: claimed.instanceId,
              claimedAt: '2026-11-02T10:00:01.000Z',
              completedAt: '2026-11-02T10:00:03.000Z',
              machineId: 'machine-1',
              tags: ['nightly', 'shop'],
              worker: { workerIndex: 0, parallelIndex: 0 },
              results: {
                stats: { overall: 2, tests: 2, passes: 1, failures: 1, pending: 0, skipped: 0, flaky: 1, retries: 2 },
                flaky: 1,
                exception: null,
                videoUrl: null,
                screenshots: [],
              },
            },
            {
              spec: 'pay.spec.ts',
              groupId: 'retail',
              instanceId: expect.stringMatching(new RegExp(`^${run.runId}[0-9a-f]{16}$`)),
              claimedAt: null,
              completedAt: null,
              machineId: '',
              tags: ['nightly', 'shop'],
              results: null,
            },
          ],
        },
      },
    });
  });

  test('returns the status RUNNING for a run in progress in which no test has failed', async () => {
    const tenant = await service();
    const { runId } = await recordRun(tenant, { retail: { tests: { [SUMS]: passed(), [FAILS]: undefined } } });
    expect((await tenant.reader.get(`/runs/${runId}`)).body.data).toMatchObject({
      status: 'RUNNING',
      completionState: 'IN_PROGRESS',
    });
  });

  test.each([
    [
      'PASSED',
      'every test passed or was skipped on purpose',
      { [SUMS]: passed(), [FAILS]: pending(), [PAYS]: flaky() },
    ],
    ['FAILED', 'a test failed', { [SUMS]: passed(), [FAILS]: failed() }],
    ['FAILED', 'a test could not run', { [SUMS]: passed(), [FAILS]: skipped() }],
  ])(
    'returns the status %s and the state COMPLETE once every expected test has a final result and %s',
    async (status, _, tests) => {
      const tenant = await service();
      const { runId } = await recordRun(tenant, { retail: { tests } });
      const { data } = (await tenant.reader.get(`/runs/${runId}`)).body;
      expect(data).toMatchObject({ status, completionState: 'COMPLETE', timeout: { isTimeout: false }, durationMs: 0 });
    },
  );

  test('measures the duration of a run from its creation, and the duration of a group from the first claim of a spec file, each until the last result', async () => {
    const tenant = await service();
    const run = await startRun(tenant, [suiteGroup('retail', [SUMS])]);
    clock.advance(5000);
    const claimed = await claim(tenant, run, 'cart.spec.ts');
    clock.advance(7000);
    await createRecord(tenant, claimed, SUMS, passed());
    clock.advance(60_000);
    expect((await tenant.reader.get(`/runs/${run.runId}`)).body.data).toMatchObject({
      durationMs: 12_000,
      groups: [{ durationMs: 7000 }],
    });
  });

  test('returns each group with its own spec files and counters', async () => {
    const tenant = await service();
    const { runId, instances } = await recordRun(tenant, {
      retail: { tests: { [SUMS]: passed() } },
      wholesale: { tests: { [SUMS]: failed(), [PAYS]: passed() } },
    });
    const { data } = (await tenant.reader.get(`/runs/${runId}`)).body;
    expect(data.groups).toMatchObject([
      { groupId: 'retail', specCount: 1, tests: { tests: 1, passes: 1, failures: 0 } },
      { groupId: 'wholesale', specCount: 2, tests: { tests: 2, passes: 1, failures: 1 } },
    ]);
    const listed = data.specs.map((one: { groupId: string; spec: string; instanceId: string }) => [
      `${one.groupId} ${one.spec}`,
      one.instanceId,
    ]);
    expect(Object.fromEntries(listed)).toEqual(instances);
  });

  test('returns the actor, time and reason of the cancellation of a run', async () => {
    const tenant = await service();
    const { runId } = await recordRun(tenant, { retail: { tests: { [SUMS]: passed(), [FAILS]: undefined } } });
    const cancellation = { actor: 'api:CI', canceledAt: Date.parse('2026-11-02T10:00:07Z'), reason: 'apiRequest' };
    await tenant.services.table.update(
      runs,
      { organizationId: tenant.organizationId, runId },
      {
        set: [
          ['completionState', 'CANCELED'],
          ['cancellation', cancellation],
        ],
      },
    );
    expect((await tenant.reader.get(`/runs/${runId}`)).body.data).toMatchObject({
      completionState: 'CANCELED',
      status: 'RUNNING',
      cancellation: { actor: 'api:CI', canceledAt: '2026-11-02T10:00:07.000Z', reason: 'apiRequest' },
    });
  });

  test('returns the state TIMEOUT and `isTimeout: true` for a run that has timed out', async () => {
    const tenant = await service();
    const { runId } = await recordRun(tenant, { retail: { tests: { [SUMS]: passed(), [FAILS]: undefined } } });
    const key = { organizationId: tenant.organizationId, runId };
    await tenant.services.table.update(runs, key, { set: [['completionState', 'TIMEOUT']] });
    expect((await tenant.reader.get(`/runs/${runId}`)).body.data).toMatchObject({
      completionState: 'TIMEOUT',
      timeout: { isTimeout: true },
    });
  });

  test('returns the pull request named in the GitHub event data that the reporter sent', async () => {
    const tenant = await service();
    const ghaEventData = { htmlUrl: 'https://git.example.com/shop/checkout/pull/17', prTitle: 'Net prices' };
    const { runId } = await recordRun(
      tenant,
      { retail: { tests: { [SUMS]: passed() } } },
      { commit: { ...COMMIT, ghaEventData } },
    );
    expect((await tenant.reader.get(`/runs/${runId}`)).body.data.meta).toMatchObject({
      pr: { id: '17', title: 'Net prices' },
      commit: { ghaEventData },
    });
  });
});
