import { describe, expect, test } from 'vitest';
import { claim, createRecord, recordRun, startRun, updateRecord } from '#test/harness/recording.ts';
import {
  attempt,
  failed,
  flaky,
  passed,
  pending,
  running,
  skipped,
  suiteGroup,
} from '#test/harness/recording-messages.ts';
import { service, type Tenant } from '#test/harness/service.ts';

const SPEC = 'cart.spec.ts';
const SUMS = `${SPEC} > cart > sums`;
const FAILS = `${SPEC} > fails`;
const LATER = `${SPEC} > later`;

const read = async ({ reader }: Tenant, instanceId: string) => (await reader.get(`/instances/${instanceId}`)).body.data;

describe('GET /instances/{instanceId}', () => {
  test('returns an empty, unclaimed instance from the start of the run', async () => {
    const tenant = await service();
    const { runId } = await startRun(tenant, [suiteGroup('retail', [SUMS, FAILS])]);
    const [spec] = (await tenant.reader.get(`/runs/${runId}`)).body.data.specs;
    const instance = await read(tenant, spec.instanceId);
    for (const name of ['claimedAt', 'completedAt']) expect(instance).not.toHaveProperty(name);
    expect(instance).toMatchObject({
      machineId: '',
      claimList: [],
      results: {
        stats: { overall: 0, tests: 2, passes: 0, wallClockStartedAt: null, wallClockDuration: null },
        tests: [],
      },
    });
  });

  test('lists started tests of an instance in progress, but counts only final results', async () => {
    const tenant = await service();
    const run = await startRun(tenant, [suiteGroup('retail', [SUMS, FAILS, LATER])]);
    const claimed = await claim(tenant, run, SPEC);
    await createRecord(tenant, claimed, SUMS, running());
    await createRecord(tenant, claimed, FAILS, failed());
    const instance = await read(tenant, claimed.instanceId);
    const { results } = instance;
    expect(instance).not.toHaveProperty('completedAt');
    expect(results.stats).toMatchObject({ overall: 1, tests: 3, passes: 0, failures: 1, pending: 0, skipped: 0 });
    expect(results.tests).toMatchObject([
      { title: ['cart', 'sums'], _d: false },
      { title: ['fails'], _d: true, state: 'failed' },
    ]);
  });

  test('shows the latest result of a test that ran again after the instance was complete', async () => {
    const tenant = await service();
    const run = await recordRun(tenant, { retail: { tests: { [SUMS]: flaky(), [FAILS]: failed() } } });
    await updateRecord(tenant, run.records[`retail ${FAILS}`] ?? '', flaky(), 5);
    const { results } = await read(tenant, run.instances[`retail ${SPEC}`] ?? '');
    expect(results.stats).toMatchObject({ overall: 2, passes: 2, failures: 0, flaky: 2 });
    expect(results.tests[1]).toMatchObject({ state: 'passed', isFlaky: true });
  });

  test('distinguishes intentionally skipped tests from tests that could not run', async () => {
    const tenant = await service();
    const { instances } = await recordRun(tenant, { retail: { tests: { [SUMS]: pending(), [FAILS]: skipped() } } });
    const { results } = await read(tenant, instances[`retail ${SPEC}`] ?? '');
    expect(results.stats).toMatchObject({ pending: 1, skipped: 1, passes: 0, failures: 0 });
    expect(results.tests.map(({ state }: { state: string }) => state)).toEqual(['pending', 'skipped']);
  });

  test('omits `displayError` of a test that failed as expected, but keeps the error of its attempt', async () => {
    const tenant = await service();
    const expected = passed({ annotations: [{ type: 'fail' }], attempts: [attempt('failed')] });
    const { instances } = await recordRun(tenant, { retail: { tests: { [SUMS]: expected } } });
    const { results } = await read(tenant, instances[`retail ${SPEC}`] ?? '');
    expect(results.stats).toMatchObject({ passes: 1, failures: 0 });
    expect(results.tests[0]).toMatchObject({ state: 'passed', expectedStatus: 'failed' });
    expect(results.tests[0]).not.toHaveProperty('displayError');
    expect(results.tests[0].attempts[0].error.message).toContain('expected 2');
  });
});
