import { describe, expect, test } from 'vitest';
import { query } from '#test/harness/client.ts';
import { claim, createRecord, type Recorder, startRun, updateRecord } from '#test/harness/recording.ts';
import { attempt, error, failed, flaky, passed, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';

const TEST = 'cart.spec.ts > cart > sums';
const OTHER = 'cart.spec.ts > cart > other';
const NAMED = { spec: 'cart.spec.ts', title: ['cart', 'sums'] };

async function claimedRun(tenant: Recorder, tests = [TEST]) {
  const run = await startRun(tenant, [suiteGroup('retail', tests)]);
  return claim(tenant, run, 'cart.spec.ts');
}

const counters = async ({ api }: Tenant, runId: string) => {
  const { status, completionState, groups } = await read(api, `/runs/${runId}`);
  return { status, completionState, tests: groups[0].tests };
};

describe('Messages about a test', () => {
  test('add no result to the counters or the history before the first final message', async () => {
    const tenant = await service();
    const claimed = await claimedRun(tenant);
    await createRecord(tenant, claimed, TEST, running());
    const { completionState, tests } = await counters(tenant, claimed.runId);
    expect({ completionState, tests }).toMatchObject({
      completionState: 'IN_PROGRESS',
      tests: { overall: 0, tests: 1 },
    });
    expect(await historyOf(tenant, NAMED)).toEqual([]);
    const { results } = await read(tenant.api, `/instances/${claimed.instanceId}`);
    expect(results).toMatchObject({ stats: { overall: 0, tests: 1 }, tests: [{ _d: false, attempts: [{}] }] });
  });

  test('replace the attempts, annotations and tags of earlier messages', async () => {
    const tenant = await service();
    const claimed = await claimedRun(tenant);
    const first = failed({ _d: false, attempts: [attempt('failed')], tags: ['old'], annotations: [{ type: 'old' }] });
    const recordId = await createRecord(tenant, claimed, TEST, first);
    const attempts = [attempt('failed', { errors: [error('boom')] }), attempt('passed', { attempt: 1, duration: 7 })];
    await updateRecord(
      tenant,
      recordId,
      flaky({ attempts, tags: ['new'], annotations: [{ type: 'owner', description: 'me' }] }),
      1,
    );
    const { results } = await read(tenant.api, `/instances/${claimed.instanceId}`);
    expect(results.tests).toMatchObject([
      {
        tags: ['new'],
        annotations: [{ type: 'owner', description: 'me' }],
        attempts: [{ error: { message: 'boom' } }, { rawStatus: 'passed', wallClockDuration: 7 }],
      },
    ]);
  });

  test('are applied by sequence number, regardless of the order in which they arrive', async () => {
    const tenant = await service();
    const claimed = await claimedRun(tenant, [TEST, OTHER]);
    await createRecord(tenant, claimed, OTHER, passed());
    const recordId = await createRecord(tenant, claimed, TEST, running());
    await updateRecord(tenant, recordId, passed(), 3);
    await updateRecord(tenant, recordId, failed(), 2);
    await updateRecord(tenant, recordId, running(), 1);
    await createRecord(tenant, claimed, TEST, running());
    expect(await counters(tenant, claimed.runId)).toMatchObject({
      status: 'PASSED',
      tests: { passes: 2, failures: 0 },
    });
    expect(await historyOf(tenant, NAMED)).toMatchObject([{ status: 'passed' }]);
    const { results } = await read(tenant.api, `/instances/${claimed.instanceId}`);
    expect(results.tests).toMatchObject([
      { title: ['cart', 'other'] },
      { title: ['cart', 'sums'], state: 'passed', _d: true },
    ]);
  });

  test('continue the same test record when a retry begins with a new first message', async () => {
    const tenant = await service();
    const claimed = await claimedRun(tenant);
    const recordId = await createRecord(tenant, claimed, TEST, failed({ _d: false }));
    expect(await createRecord(tenant, claimed, TEST, flaky(), 4)).toBe(recordId);
    await updateRecord(tenant, recordId, failed({ _d: false }), 3);
    expect(await counters(tenant, claimed.runId)).toMatchObject({ tests: { overall: 1, passes: 1, flaky: 1 } });
  });
});

describe('A later final message', () => {
  test('can make a test of a finished run flaky, and the test is still counted once', async () => {
    const tenant = await service();
    const claimed = await claimedRun(tenant);
    const recordId = await createRecord(tenant, claimed, TEST, passed());
    expect(await counters(tenant, claimed.runId)).toMatchObject({ completionState: 'COMPLETE', tests: { flaky: 0 } });
    clock.advance(3000);
    // Playwright retries a serial group as a whole, so a test of the group that has already passed runs again. The
    // reporter sends several final results for it, the last of which is flaky.
    const again = [attempt('passed'), attempt('skipped', { attempt: 1, _e: 1 })];
    await updateRecord(tenant, recordId, passed({ attempts: again }), 2);
    await updateRecord(tenant, recordId, flaky(), 3);
    const { completionState, tests } = await counters(tenant, claimed.runId);
    expect(completionState).toBe('COMPLETE');
    expect(tests).toMatchObject({ overall: 1, tests: 1, passes: 1, flaky: 1, retries: 1 });
    const { results } = await read(tenant.api, `/instances/${claimed.instanceId}`);
    expect(results).toMatchObject({ flaky: 1, tests: [{ isFlaky: true, attempts: [{}, { rawStatus: 'passed' }] }] });
    expect(await historyOf(tenant, NAMED)).toMatchObject([{ flaky: true, status: 'passed' }]);
  });

  test('can make a passed run fail, and a failed run pass', async () => {
    const tenant = await service();
    const claimed = await claimedRun(tenant, [TEST, OTHER]);
    await createRecord(tenant, claimed, OTHER, passed());
    const recordId = await createRecord(tenant, claimed, TEST, passed());
    await updateRecord(tenant, recordId, failed(), 1);
    expect(await counters(tenant, claimed.runId)).toMatchObject({
      status: 'FAILED',
      tests: { passes: 1, failures: 1 },
    });
    await updateRecord(tenant, recordId, flaky(), 2);
    expect(await counters(tenant, claimed.runId)).toMatchObject({
      status: 'PASSED',
      tests: { passes: 2, failures: 0 },
    });
  });

  test('leaves a single execution in the history, with the time of the first final message', async () => {
    const tenant = await service();
    const claimed = await claimedRun(tenant);
    const recordId = await createRecord(tenant, claimed, TEST, failed());
    const [{ createdAt }] = await historyOf(tenant, NAMED);
    clock.advance(3000);
    await updateRecord(tenant, recordId, passed(), 1);
    const executions = await historyOf(tenant, NAMED);
    expect(executions).toMatchObject([{ status: 'passed', createdAt }]);
    const { signature } = executions[0];
    const range = [['date_start', '2026-01-01T00:00:00Z'] as const, ['date_end', '2027-01-01T00:00:00Z'] as const];
    expect(await read(tenant.api, `/test-results/${signature}${query(...range, ['status[]', 'failed'])}`)).toEqual([]);
  });
});
