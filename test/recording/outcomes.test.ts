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
  type TestState,
} from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { service, type Tenant } from '#test/harness/service.ts';

const TEST = 'cart.spec.ts > cart > sums';

/** Records one test with these messages, and reads it back with its run. */
async function recorded(tenant: Tenant, ...messages: readonly TestState[]) {
  const run = await startRun(tenant, [suiteGroup('retail', [TEST])]);
  const claimed = await claim(tenant, run, 'cart.spec.ts');
  const [first = passed(), ...later] = messages;
  const recordId = await createRecord(tenant, claimed, TEST, first);
  for (const [index, message] of later.entries()) await updateRecord(tenant, recordId, message, index + 1);
  const { results } = await read(tenant.api, `/instances/${claimed.instanceId}`);
  return { test: results.tests[0], run: await read(tenant.api, `/runs/${run.runId}`) };
}

describe('§2.1 Outcomes of streamed tests:', () => {
  test.each([
    ['declared with test.skip()', pending({ annotations: [{ type: 'skip' }], expectedStatus: 'skipped' })],
    ['declared with test.fixme()', pending({ annotations: [{ type: 'fixme' }], expectedStatus: 'skipped' })],
    ['from an older client that sends no annotation', pending({ annotations: [], expectedStatus: 'skipped' })],
  ])('A test with a skip %s is pending, and the run passes', async (_, state) => {
    const { test: read, run } = await recorded(await service(), state);
    expect(read).toMatchObject({ state: 'pending', _s: 'pending', expectedStatus: 'skipped' });
    expect(read).not.toHaveProperty('displayError');
    expect(run).toMatchObject({ status: 'PASSED', groups: [{ tests: { pending: 1, skipped: 0 } }] });
  });

  test.each(['skip', 'fixme'])('Calling test.%s while the test runs makes the test pending', async (type) => {
    const decided = pending({ annotations: [{ type, description: 'no stock' }] });
    const { test: read } = await recorded(await service(), running({ expectedStatus: 'passed' }), decided);
    expect(read).toMatchObject({
      state: 'pending',
      expectedStatus: 'skipped',
      annotations: [{ type, description: 'no stock' }],
    });
  });

  test('A test that could not run because a hook or an earlier serial test failed counts as skipped', async () => {
    const serial = skipped({ annotations: [{ type: 'serial' }], attempts: [attempt('skipped', { workerIndex: -1 })] });
    const { test: read, run } = await recorded(await service(), serial);
    expect(read).toMatchObject({ state: 'skipped', _s: 'skipped', expectedStatus: 'passed' });
    expect(run).toMatchObject({
      status: 'FAILED',
      groups: [{ tests: { skipped: 1, pending: 0, failures: 0 }, instances: { failures: 1, passes: 0 } }],
    });
  });

  test('An expected failure counts as passed, and has no `displayError`', async () => {
    const expected = passed({ attempts: [attempt('failed')], annotations: [{ type: 'fail' }] });
    const { test: read, run } = await recorded(await service(), expected);
    expect(read).toMatchObject({
      state: 'passed',
      isFlaky: false,
      expectedStatus: 'failed',
      attempts: [{ state: 'failed', rawStatus: 'failed', error: { message: 'Error: expected 2, received 3' } }],
    });
    expect(read).not.toHaveProperty('displayError');
    expect(run.status).toBe('PASSED');
  });

  test.each([
    ['passed', attempt('passed', { _s: 'passed' })],
    ['timedOut', attempt('timedOut')],
  ])(
    'A test that was expected to fail counts as failed if its attempt ends with the status %s',
    async (status, only) => {
      const state = failed({ attempts: [only], annotations: [{ type: 'fail' }] });
      const { test: read, run } = await recorded(await service(), state);
      expect(read).toMatchObject({ state: 'failed', expectedStatus: 'failed', attempts: [{ rawStatus: status }] });
      expect(run.status).toBe('FAILED');
    },
  );

  test('A flaky test is counted both under its final outcome and as flaky', async () => {
    const { test: read, run } = await recorded(await service(), flaky());
    expect(read).toMatchObject({ state: 'passed', isFlaky: true, _f: true });
    expect(read.displayError).toBe('Error: expected 2, received 3');
    expect(run).toMatchObject({
      status: 'PASSED',
      groups: [{ tests: { overall: 1, passes: 1, flaky: 1, retries: 1 } }],
    });
  });

  test('A test that failed and was skipped on its retry is flaky, and counts as passed even if the reporter sends pending', async () => {
    const attempts = [attempt('failed'), attempt('skipped')];
    const { test: read, run } = await recorded(await service(), pending({ attempts, _f: true }));
    expect(read).toMatchObject({ state: 'passed', isFlaky: true });
    expect(run.groups).toMatchObject([{ tests: { pending: 0, flaky: 1, passes: 1, failures: 0 } }]);
  });

  test('An interrupted test counts as skipped', async () => {
    const interrupted = skipped({ _s: 'skipped', attempts: [attempt('interrupted', { _s: 'skipped' })] });
    const { test: read } = await recorded(await service(), interrupted);
    expect(read).toMatchObject({ state: 'skipped', attempts: [{ rawStatus: 'interrupted', state: 'skipped' }] });
  });

  test('A timed-out test counts as failed', async () => {
    const { test: read } = await recorded(await service(), failed({ attempts: [attempt('timedOut')] }));
    expect(read).toMatchObject({ state: 'failed', attempts: [{ rawStatus: 'timedOut', state: 'failed' }] });
  });

  test('A test that --repeat-each runs twice counts as two tests, which share one history', async () => {
    const tenant = await service();
    const suite = suiteGroup('retail', [TEST]);
    const twice = { ...suite, tests: ['one', 'two'].map((testId) => ({ ...suite.tests[0], testId })) };
    const run = await startRun(tenant, [], { fullTestSuite: [twice], group: 'retail' });
    const claimed = await claim(tenant, run, 'cart.spec.ts');
    for (const testId of ['one', 'two']) {
      const body = { ...claimed, testId, title: ['cart', 'sums'], expectedStatus: 'passed', _t: 0, ...passed() };
      expect(await tenant.api.post('@/test-record', body)).toMatchObject({ status: 200 });
    }
    const { groups, completionState } = await read(tenant.api, `/runs/${run.runId}`);
    expect({ completionState, tests: groups[0].tests }).toMatchObject({
      completionState: 'COMPLETE',
      tests: { overall: 2, tests: 2, passes: 2 },
    });
    expect(await historyOf(tenant, { spec: 'cart.spec.ts', title: ['cart', 'sums'] })).toHaveLength(2);
  });
});

describe('§3 Counters:', () => {
  test('Each test is counted once, under its final outcome, in its spec file and its group', async () => {
    const tenant = await service();
    const { runId } = await recordRun(tenant, {
      retail: {
        tests: {
          'a.spec.ts > 1': passed(),
          'a.spec.ts > 2': failed(),
          'a.spec.ts > 3': flaky(),
          'b.spec.ts > 1': pending(),
        },
      },
      wholesale: { tests: { 'a.spec.ts > 1': skipped(), 'a.spec.ts > 2': passed() } },
    });
    const none = { overall: 0, tests: 0, passes: 0, failures: 0, pending: 0, skipped: 0, flaky: 0, retries: 0 };
    const { groups, specs } = await read(tenant.api, `/runs/${runId}`);
    expect(groups.map(({ tests }: { tests: object }) => tests)).toEqual([
      { ...none, overall: 4, tests: 4, passes: 2, failures: 1, pending: 1, flaky: 1, retries: 2 },
      { ...none, overall: 2, tests: 2, passes: 1, skipped: 1 },
    ]);
    expect(groups.map(({ instances }: { instances: object }) => instances)).toEqual([
      { overall: 2, claimed: 2, complete: 2, passes: 1, failures: 1 },
      { overall: 1, claimed: 1, complete: 1, passes: 0, failures: 1 },
    ]);
    expect(specs.map(({ results }: { results: { stats: object } }) => results.stats)).toEqual([
      { ...none, overall: 3, tests: 3, passes: 2, failures: 1, flaky: 1, retries: 2 },
      { ...none, overall: 1, tests: 1, pending: 1 },
      { ...none, overall: 2, tests: 2, passes: 1, skipped: 1 },
    ]);
  });
});
