import { describe, expect, test } from 'vitest';
import { recordRun, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, failed, flaky, passed, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';

const SPEC = 'cart.spec.ts';
const TEST = `${SPEC} > sums`;

/** Properties that may be null according to §2.2 and §2.3. */
const NULLABLE = new Set(['displayError of a result', 'expectedStatus', 'error of a result', 'annotations']);
/** Properties that §2 does not define. */
const BEYOND = new Set(['framework', 'platform', 'stdout', 'startTime', 'endTime', 'filename', 'bytes']);

/** Returns the names of the null properties at any depth, except those in `NULLABLE` and `BEYOND`. */
function nulls(value: unknown, suffix: string, name = ''): string[] {
  if (value === null) return NULLABLE.has(name) || NULLABLE.has(`${name} ${suffix}`) ? [] : [name];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([member, inner]) =>
    BEYOND.has(member) ? [] : nulls(inner, suffix, Array.isArray(value) ? name : member),
  );
}

const BARE = { commit: null };
/** Returns a test state without values that a reporter may omit, such as stacks, and with unusable start times. */
const bare = (state: TestState): TestState => ({
  ...state,
  annotations: [{ type: 'owner' }],
  attempts: state.attempts.map((one) => ({ ...one, startTime: 'never', errors: [{ message: 'Error: bare' }] })),
});
const STATES = {
  passed: bare(passed()),
  failed: bare(failed()),
  flaky: bare(flaky({ attempts: [attempt('failed')] })),
};

describe('§2 An unreported value', () => {
  test.each(Object.entries(STATES))(
    'is absent from the results and instances of a %s test, both streamed and uploaded',
    async (_, state) => {
      const tenant = await service();
      const streamed = await recordRun(tenant, { retail: { tests: { [TEST]: state } } }, BARE);
      const instance = batchInstance('unit', SPEC, { [TEST]: state });
      const batch = await upload(tenant, [suiteGroup('unit', [TEST])], [instance], { ...BARE, ciBuildId: 'batch' });
      const history = await historyOf(tenant, { spec: SPEC, title: ['sums'] });
      expect(history).toHaveLength(2);
      expect(history.flatMap((one: unknown) => nulls(one, 'of a result'))).toEqual([]);
      expect(history[0]).toMatchObject({ commit: {}, annotations: [{ type: 'owner' }] });
      for (const { runId } of [streamed, batch]) {
        const [{ instanceId }] = (await read(tenant.api, `/runs/${runId}`)).specs;
        const { commit, ...rest } = await read(tenant.api, `/instances/${instanceId}`);
        expect(nulls(rest, 'of an instance').filter((name) => !name.startsWith('wallClock'))).toEqual([]);
        expect(rest.results).not.toHaveProperty('exception');
        for (const one of rest.results.tests[0].attempts) expect(one).not.toHaveProperty('wallClockStartedAt');
      }
    },
  );

  test('An instance that no machine has claimed has no `claimedAt` and no `completedAt`', async () => {
    const tenant = await service();
    const { runId } = await startRun(tenant, [suiteGroup('retail', [TEST])]);
    const [{ instanceId }] = (await read(tenant.api, `/runs/${runId}`)).specs;
    const instance = await read(tenant.api, `/instances/${instanceId}`);
    for (const name of ['claimedAt', 'completedAt']) expect(instance).not.toHaveProperty(name);
  });
});
