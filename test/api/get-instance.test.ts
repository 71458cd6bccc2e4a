import { describe, expect, test } from 'vitest';
import { claim, createRecord, startRun } from '#test/harness/recording.ts';
import { attempt, COMMIT, error, failed, flaky, suiteGroup, testIdOf } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';

const SPEC = 'cart.spec.ts';
const SUMS = `${SPEC} > cart > sums`;
const FAILS = `${SPEC} > fails`;

/**
 * Records an instance with a flaky test and a failed test. The instance is complete three seconds after the start of
 * the run.
 */
async function finished() {
  const tenant = await service();
  const suite = [suiteGroup('retail', [SUMS, FAILS], { tags: ['shop'] })];
  const run = await startRun(tenant, suite, { tags: ['nightly'], machineId: 'machine-1' });
  clock.advance(1000);
  const claimed = await claim(tenant, run, SPEC);
  clock.advance(2000);
  const first = attempt('timedOut', {
    startTime: '2026-11-02T10:00:01.500Z',
    duration: 300,
    workerIndex: 3,
    errors: [error('Error: \u001b[31mlate\u001b[39m')],
  });
  const second = attempt('passed', { startTime: '2026-11-02T10:00:02.000Z', duration: 200, attempt: 1 });
  const records = {
    sums: await createRecord(
      tenant,
      claimed,
      SUMS,
      flaky({
        tags: ['slow'],
        annotations: [{ type: 'owner', description: 'pay' }, { type: 'x' }],
        attempts: [first, second],
      }),
    ),
    fails: await createRecord(tenant, claimed, FAILS, failed()),
  };
  return { tenant, run, claimed, records };
}

describe('GET /instances/{instanceId}', () => {
  test('returns every property of an instance (§2.3) and the additional properties that existing clients read', async () => {
    const { tenant, run, claimed, records } = await finished();
    const { status, body } = await tenant.reader.get(`/instances/${claimed.instanceId}`);
    expect({ status, ok: body.status }).toEqual({ status: 200, ok: 'OK' });
    const { results, ...instance } = body.data;
    expect(instance).toEqual({
      instanceId: claimed.instanceId,
      runId: run.runId,
      groupId: 'retail',
      projectId: tenant.projectId,
      orgId: tenant.organizationId,
      spec: SPEC,
      signature: expect.stringMatching(/^[0-9a-f]{32}$/),
      schemaVersion: 2,
      machineId: 'machine-1',
      createdAt: '2026-11-02T10:00:00.000Z',
      claimedAt: '2026-11-02T10:00:01.000Z',
      completedAt: '2026-11-02T10:00:03.000Z',
      framework: { type: 'pw', version: null, clientVersion: null },
      platform: { osName: 'linux', osVersion: 'Debian - 12', browserName: null, browserVersion: null },
      commit: { ...COMMIT, message: 'Let traders see net prices', defaultBranch: null },
      tags: ['nightly', 'shop'],
      claimList: [{ machineId: 'machine-1', t: '2026-11-02T10:00:01.000Z' }],
      worker: { workerIndex: 0, parallelIndex: 0 },
      testTags: {
        [testIdOf('retail', SUMS)]: ['nightly', 'shop', 'slow'],
        [testIdOf('retail', FAILS)]: ['nightly', 'shop'],
      },
      testAnnotations: {
        [testIdOf('retail', SUMS)]: [{ type: 'owner', description: 'pay' }, { type: 'x' }],
        [testIdOf('retail', FAILS)]: [],
      },
    });
    const { tests, ...rest } = results;
    expect(rest).toEqual({
      stats: {
        overall: 2,
        tests: 2,
        passes: 1,
        failures: 1,
        pending: 0,
        skipped: 0,
        flaky: 1,
        retries: 2,
        wallClockStartedAt: '2026-11-02T09:59:00.000Z',
        wallClockEndedAt: '2026-11-02T10:00:02.200Z',
        wallClockDuration: 62_200,
      },
      flaky: 1,
      playwrightTraces: [],
      screenshots: [],
      videos: [],
      attachments: [],
      stdout: null,
    });
    const late = {
      message: 'Error: \u001b[31mlate\u001b[39m',
      stack: expect.stringContaining('at /project/'),
      location: { file: '/project/tests/cart.spec.ts', line: 28, column: 37 },
    };
    expect(tests[0]).toEqual({
      testId: testIdOf('retail', SUMS),
      recordId: records.sums,
      groupId: 'retail',
      spec: SPEC,
      title: ['cart', 'sums'],
      state: 'passed',
      _s: 'passed',
      _d: true,
      _f: true,
      isFlaky: true,
      expectedStatus: 'passed',
      displayError: 'Error: \u001b[31mlate\u001b[39m',
      startTime: '2026-11-02T10:00:01.500Z',
      endTime: '2026-11-02T10:00:02.200Z',
      duration: 500,
      tags: ['nightly', 'shop', 'slow'],
      annotations: [{ type: 'owner', description: 'pay' }, { type: 'x' }],
      attempts: [
        {
          attemptId: `${records.sums}-0`,
          state: 'failed',
          rawStatus: 'timedOut',
          workerIndex: 3,
          parallelIndex: 0,
          error: late,
          errors: [late],
          wallClockStartedAt: '2026-11-02T10:00:01.500Z',
          wallClockDuration: 300,
        },
        {
          attemptId: `${records.sums}-1`,
          state: 'passed',
          rawStatus: 'passed',
          workerIndex: 0,
          parallelIndex: 0,
          errors: [],
          wallClockStartedAt: '2026-11-02T10:00:02.000Z',
          wallClockDuration: 200,
        },
      ],
    });
    expect(tests[1]).toMatchObject({ state: 'failed', isFlaky: false, displayError: 'Error: expected 2, received 3' });
  });

  test.each(['0'.repeat(32), '0'.repeat(16), 'x', 'DETAILS', '..%2f..', '%00'])(
    'returns 404 for the unknown instance %s',
    async (id) => {
      const { reader } = await service();
      expect(await reader.get(`/instances/${id}`)).toMatchObject({
        status: 404,
        body: { error: 'Instance not found' },
      });
    },
  );
});
