import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { cancelRun } from '#shared/lifecycle/cancel-run.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { cases, sampled } from '#test/harness/cases.ts';
import { query } from '#test/harness/client.ts';
import { interruptedAt } from '#test/harness/interrupted-table.ts';
import { createRecord, startRun, updateRecord } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { failed, passed, skipped, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';
import { claimedRun, DONE, NEW, OPEN } from '#test/recording/operations.ts';

type Stage = Awaited<ReturnType<typeof service>>;

const endings = {
  CANCELED: async ({ api }: Stage, runId: string) =>
    expect(await api.put(`/runs/${runId}/cancel`)).toMatchObject({ status: 200 }),
  TIMEOUT: async ({ runSchedule }: Stage) => {
    clock.advance(31 * 60_000);
    await runSchedule('timeOutRuns');
  },
};
const BOTH = ['CANCELED', 'TIMEOUT'] as const;

const stateOf = async ({ api }: Stage, runId: string): Promise<string> => {
  const { completionState, status } = await read(api, `/runs/${runId}`);
  return `${completionState} ${status}`;
};

/** Expects that the list of runs shows the run only under this status. */
async function expectListedUnder({ api, projectId }: Stage, runId: string, status: string): Promise<void> {
  const others = ['RUNNING', 'FAILING', 'FAILED', 'PASSED'].filter((other) => other !== status);
  const listed = async (statuses: readonly string[]): Promise<string[]> => {
    const asked = query(...statuses.map((one) => ['status[]', one] as const));
    const runs = await read(api, `/projects/${projectId}/runs${asked}`);
    return runs.map((run: { runId: string }) => run.runId);
  };
  expect(await listed([status])).toContain(runId);
  expect(await listed(others)).not.toContain(runId);
}

/**
 * Records a run that ends after the results `before`. The run expects three tests of one spec file and one test of
 * another spec file.
 */
async function endedRun(ending: (typeof BOTH)[number], before: readonly TestState[]) {
  const stage = await service();
  const claimed = await claimedRun(stage);
  for (const [index, state] of before.entries()) await createRecord(stage, claimed, [DONE, OPEN][index] ?? NEW, state);
  await endings[ending](stage, claimed.runId);
  return { stage, claimed, runId: claimed.runId, state: () => stateOf(stage, claimed.runId) };
}

describe('A run that was cancelled or timed out', () => {
  test.each([
    ['CANCELED', 'before any result', [], 'FAILED', [passed()], 'PASSED'],
    ['CANCELED', 'after a test passed, before one fails', [passed()], 'PASSED', [failed()], 'FAILED'],
    ['CANCELED', 'after a test passed, before one is skipped', [passed()], 'PASSED', [skipped()], 'FAILED'],
    ['CANCELED', 'after a test failed', [passed(), failed()], 'FAILED', [passed(), passed()], 'FAILED'],
    ['CANCELED', 'after a test was skipped', [skipped(), passed()], 'FAILED', [], 'FAILED'],
    ['TIMEOUT', 'before any result', [], 'FAILED', [failed()], 'FAILED'],
    ['TIMEOUT', 'after a test passed', [passed()], 'FAILED', [passed()], 'FAILED'],
    ['TIMEOUT', 'after a test failed', [passed(), failed()], 'FAILED', [], 'FAILED'],
  ] as const)(
    'A run in state %s (%s) has the same status in its details and in lists, and late results update both',
    async (ending, _, before, status, late, updated) => {
      const { stage, claimed, runId, state } = await endedRun(ending, before);
      expect(await state()).toBe(`${ending} ${status}`);
      await expectListedUnder(stage, runId, status);
      const asked = query(['projectId', stage.projectId], ['ciBuildId', 'build-1']);
      expect(await read(stage.api, `/runs/find${asked}`)).toMatchObject({ runId, completionState: ending, status });
      if (late.length === 0) return;
      for (const [index, one] of late.entries()) {
        await createRecord(stage, claimed, index === 0 ? NEW : 'cart.spec.ts > more', one);
      }
      expect(await state()).toBe(`${ending} ${updated}`);
      await expectListedUnder(stage, runId, updated);
    },
  );

  test('A run that timed out becomes complete and passes once all its expected tests have passed', async () => {
    const stage = await service();
    const claimed = await claimedRun(stage);
    await endings.TIMEOUT(stage);
    for (const name of [DONE, OPEN, NEW]) {
      await createRecord(stage, claimed, name, passed());
      expect(await stateOf(stage, claimed.runId)).toBe('TIMEOUT FAILED');
    }
    const spec = 'other.spec.ts';
    const { specs } = await read(stage.api, `/runs/${claimed.runId}`);
    const { instanceId } = specs.find((one: { spec: string }) => one.spec === spec);
    await createRecord(stage, { ...claimed, spec, instanceId }, 'other.spec.ts > test', passed());
    expect(await stateOf(stage, claimed.runId)).toBe('COMPLETE PASSED');
  });

  test('The status of a cancelled run is updated with each corrected result', async () => {
    const stage = await service();
    const claimed = await claimedRun(stage);
    const recordId = await createRecord(stage, claimed, DONE, failed());
    await endings.CANCELED(stage, claimed.runId);
    const seen = [await stateOf(stage, claimed.runId)];
    for (const [index, state] of [passed(), failed(), failed(), passed()].entries()) {
      await updateRecord(stage, recordId, state, index + 1);
      seen.push(await stateOf(stage, claimed.runId));
    }
    expect(seen.map((state) => state.split(' ')[1])).toEqual(['FAILED', 'PASSED', 'FAILED', 'FAILED', 'PASSED']);
  });

  test('A run that fail-fast cancelled stays FAILED when other tests pass later', async () => {
    const stage = await service();
    const { services, organizationId, projectId } = stage;
    await changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings: { failFast: true } });
    const claimed = await claimedRun(stage);
    await createRecord(stage, claimed, DONE, failed());
    expect(await stateOf(stage, claimed.runId)).toBe('CANCELED FAILED');
    await createRecord(stage, claimed, OPEN, passed());
    expect(await stateOf(stage, claimed.runId)).toBe('CANCELED FAILED');
    await expectListedUnder(stage, claimed.runId, 'FAILED');
  });

  test.each(BOTH)('Later batch uploads update the status of a run in state %s', async (ending) => {
    const stage = await service();
    const suite = [suiteGroup('unit', ['a.spec.ts > a', 'b.spec.ts > b', 'c.spec.ts > c'])];
    const { runId } = await upload(stage, suite, []);
    await endings[ending](stage, runId);
    const seen: string[] = [];
    for (const [name, state] of Object.entries({ a: passed(), b: failed(), c: passed() })) {
      const test = `${name}.spec.ts > ${name}`;
      await upload(stage, [], [batchInstance('unit', `${name}.spec.ts`, { [test]: state })], { group: 'unit' });
      seen.push(await stateOf(stage, runId));
    }
    const first = ending === 'CANCELED' ? 'PASSED' : 'FAILED';
    const last = ending === 'CANCELED' ? ending : 'COMPLETE';
    expect(seen).toEqual([`${ending} ${first}`, `${ending} FAILED`, `${last} FAILED`]);
  });
});

describe('A cancellation and a concurrent result', () => {
  /** A cancellation makes fewer than 100 calls to the table, so these numbers cover all of them. */
  const CALLS = Array.from({ length: 100 }, (_, call) => call);
  // `npm test` interrupts the cancellation at every third call. Each row of the table begins at a different call.
  test.each([
    ['the first failure', passed(), failed(), 'FAILED', 0, 3],
    ['the correction of the only failure', failed(), passed(), 'PASSED', 1, 3],
    ['the first result', undefined, passed(), 'PASSED', 2, 3],
  ] as const)(
    'The status of a cancelled run accounts for %s, even if it arrives between two database calls of the cancellation',
    async (_, before, result, status, row, step) => {
      const stage = await service();
      for (const call of sampled(CALLS, step, row)) {
        const { runId, ...claimed } = await claimedRunOf(stage, `build ${call}`);
        if (before) await createRecord(stage, { runId, ...claimed }, DONE, before);
        const report = () => createRecord(stage, { runId, ...claimed }, DONE, result, 1);
        const { services, happened } = interruptedAt(stage.services, call, report);
        const cancelling = { ...stage.services, ...services };
        await cancelRun(cancelling, { organizationId: stage.organizationId, runId, actor: 'api:CI' });
        if (!happened()) return expect(call).toBeGreaterThan(4);
        expect(await stateOf(stage, runId), `before call ${call}`).toBe(`CANCELED ${status}`);
      }
      throw new Error('A cancellation makes more calls than this test tries: raise CALLS');
    },
  );

  test('The status of a run accounts for a result that is sent at the same time as the cancellation of the run', async () => {
    const stage = await service();
    const all = await Promise.all(
      Array.from({ length: cases(16, 2) }, async (_, index) => {
        const claimed = await claimedRunOf(stage, `at once ${index}`);
        await createRecord(stage, claimed, DONE, passed());
        await Promise.all([
          stage.api.put(`/runs/${claimed.runId}/cancel`),
          createRecord(stage, claimed, OPEN, index % 2 ? failed() : passed()),
        ]);
        return stateOf(stage, claimed.runId);
      }),
    );
    expect(all).toEqual(all.map((_, index) => `CANCELED ${index % 2 ? 'FAILED' : 'PASSED'}`));
  });
});

async function claimedRunOf(stage: Stage, ciBuildId: string) {
  const suite = [suiteGroup('retail', [DONE, OPEN, NEW])];
  const run = await startRun(stage, suite, { ciBuildId });
  const spec = 'cart.spec.ts';
  return { ...run, spec, instanceId: deriveInstanceId({ ...run, spec }) };
}
