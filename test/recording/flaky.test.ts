import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, sampled } from '#test/harness/cases.ts';
import { type Claimed, claim, createRecord, startRun, updateRecord } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, flaky, passed, running, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { service, type Tenant } from '#test/harness/service.ts';

const SPEC = 'cart.spec.ts';
const CASES = Math.min(cases(24, 12), 24);
const NAMES = Array.from({ length: CASES }, (_, index) => `${SPEC} > test ${String(index).padStart(3, '0')}`);
const ONE = NAMES[0] ?? '';

interface Case {
  readonly expected: string;
  readonly statuses: readonly string[];
  /** Whether the reporter says that the test is flaky. */
  readonly claimed: boolean;
}

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    expected: fc.constantFrom('passed', 'passed', 'failed', 'skipped'),
    statuses: fc.array(fc.constantFrom('passed', 'failed', 'timedOut', 'skipped', 'interrupted'), {
      minLength: 1,
      maxLength: 4,
    }),
    claimed: fc.boolean(),
  })
  // A test whose expected status is `skipped` was skipped in its last attempt, because that attempt determines the
  // expected status.
  .map((one) => (one.expected === 'skipped' ? { ...one, statuses: [...one.statuses, 'skipped'] } : one));
const anyTests = fc.array(anyCase, { minLength: CASES, maxLength: CASES });

/**
 * The rules of §3, implemented independently. An attempt that was interrupted or unexpectedly skipped has no outcome.
 */
function oracle({ expected, statuses }: Case): { flaky: boolean; outcome: TestState['_s'] } {
  let matching = 0;
  let other = 0;
  for (const status of statuses) {
    if (status === expected) matching += 1;
    else if (status === 'passed' || status === 'failed' || status === 'timedOut') other += 1;
  }
  const ran = statuses.some((status) => status !== 'interrupted' && status !== 'skipped');
  if (!ran) return { flaky: false, outcome: 'pending' };
  const outcome = expected === 'skipped' ? 'pending' : matching > 0 ? 'passed' : 'failed';
  return { flaky: matching > 0 && other > 0, outcome };
}

const ANNOTATED: Readonly<Record<string, TestState['annotations']>> = {
  failed: [{ type: 'fail' }],
  skipped: [{ type: 'skip' }],
};

const messageOf = (one: Case): TestState => ({
  ...passed(),
  _s: oracle(one).outcome,
  _f: one.claimed,
  attempts: one.statuses.map((status, index) => attempt(status, { attempt: index })),
  annotations: ANNOTATED[one.expected] ?? [],
});

type Recording = (tenant: Tenant, all: readonly Case[], ciBuildId: string) => Promise<string>;

async function claimedSpec(tenant: Tenant, ciBuildId: string): Promise<Claimed> {
  const run = await startRun(tenant, [suiteGroup('retail', NAMES)], { ciBuildId });
  return claim(tenant, run, SPEC);
}

const ways: Readonly<{ [way: string]: Recording }> = {
  'in one message': async (tenant, all, ciBuildId) => {
    const claimed = await claimedSpec(tenant, ciBuildId);
    const send = (one: Case, index: number) =>
      createRecord(tenant, claimed, NAMES[index] ?? '', { ...messageOf(one), expectedStatus: one.expected });
    await Promise.all(all.map(send));
    return claimed.runId;
  },
  'in an update without an expected status': async (tenant, all, ciBuildId) => {
    const claimed = await claimedSpec(tenant, ciBuildId);
    const send = async (one: Case, index: number) => {
      const recordId = await createRecord(tenant, claimed, NAMES[index] ?? '', running({ expectedStatus: 'passed' }));
      await updateRecord(tenant, recordId, messageOf(one), 1);
    };
    await Promise.all(all.map(send));
    return claimed.runId;
  },
  'in a batch upload': async (tenant, all, ciBuildId) => {
    const tests = all.map((one, index) => [NAMES[index] ?? '', { ...messageOf(one), expectedStatus: one.expected }]);
    const instance = batchInstance('retail', SPEC, Object.fromEntries(tests));
    const { runId } = await upload(tenant, [suiteGroup('retail', NAMES)], [instance], { ciBuildId });
    return runId;
  },
};

describe('§3 The flakiness of a test', () => {
  test.each(Object.entries(ways))(
    'A test reported %s is flaky if one attempt matched the expected status and another did not',
    async (_, record) => {
      const tenant = await service();
      let builds = 0;
      await fc.assert(
        fc.asyncProperty(anyTests, async (all) => {
          builds += 1;
          const expected = all.map((one) => oracle(one).flaky);
          const runId = await record(tenant, all, `build ${builds}`);
          const run = await read(tenant.api, `/runs/${runId}`);
          const { results } = await read(tenant.api, `/instances/${run.specs[0].instanceId}`);
          expect(results.tests.map((one: { isFlaky: boolean }) => one.isFlaky)).toEqual(expected);
          const skipped = results.tests.filter((one: { state: string }) => one.state === 'pending');
          expect(skipped.filter((one: { isFlaky: boolean }) => one.isFlaky)).toEqual([]);
          const count = expected.filter(Boolean).length;
          expect([results.flaky, run.groups[0].tests.flaky, run.specs[0].results.flaky]).toEqual([count, count, count]);
          const history = await historyOf(tenant, { spec: SPEC, title: ['test 000'] });
          expect(history.find((one: { runId: string }) => one.runId === runId).flaky).toBe(expected[0]);
        }),
        { numRuns: cases(4, 1), endOnFailure: true },
      );
    },
    60_000,
  );

  const failedThenPassed = flaky().attempts;
  const ODD = [
    ['has no attempts', { attempts: [] }],
    ['lacks its first attempts', { attempts: failedThenPassed.slice(1) }],
    ['has an attempt with an unknown status', { attempts: [attempt('broken'), attempt('passed', { attempt: 1 })] }],
    ['has an unknown expected status', { expectedStatus: 'green' }],
    ['passed although no attempt has the expected status', { attempts: [attempt('failed', { attempt: 0 })] }],
    [
      'failed although all attempts have the expected status',
      { _s: 'failed', attempts: [attempt('passed', { attempt: 0 })] },
    ],
  ] as const;
  const SUITE = [suiteGroup('retail', [ONE])];
  const REPORTED: Readonly<Record<string, (tenant: Tenant, state: TestState) => Promise<{ runId: string }>>> = {
    streamed: async (tenant, state) => {
      const run = await startRun(tenant, SUITE, { ciBuildId: `streamed ${state._f}` });
      await createRecord(tenant, await claim(tenant, run, SPEC), ONE, state);
      return run;
    },
    uploaded: (tenant, state) =>
      upload(tenant, SUITE, [batchInstance('retail', SPEC, { [ONE]: state })], { ciBuildId: `batch ${state._f}` }),
  };

  test.each(ODD.map((row, index) => [...row, index] as const))(
    'A test that %s is flaky if and only if its reporter marks it as flaky',
    async (_, more, index) => {
      const tenant = await service();
      for (const [way, report] of Object.values(REPORTED).entries()) {
        // For each protocol, `npm test` tries only one of the two values that the reporter may send.
        for (const claimed of sampled([true, false], 2, index + way)) {
          const { runId } = await report(tenant, { ...passed(), ...more, _f: claimed });
          const { groups } = await read(tenant.api, `/runs/${runId}`);
          expect(groups[0].tests.flaky).toBe(claimed ? 1 : 0);
        }
      }
    },
  );

  test('A test that is flaky only according to its attempts is listed as flaky, with its error', async () => {
    const tenant = await service();
    const state = flaky({ _f: false });
    const { runId } = await upload(
      tenant,
      [suiteGroup('retail', [ONE])],
      [batchInstance('retail', SPEC, { [ONE]: state })],
    );
    const context = await read(tenant.api, `/context?run_id=${runId}&include_flaky=true`);
    expect(context).toMatchObject({
      totalFlakyTests: 1,
      list: [{ error: { message: 'Error: expected 2, received 3' } }],
    });
    expect(await historyOf(tenant, { spec: SPEC, title: ['test 000'] })).toMatchObject([
      { flaky: true, displayError: 'Error: expected 2, received 3' },
    ]);
  });
});
