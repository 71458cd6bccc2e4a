/** A test that several machines, jobs or imports of one build report. */
import { describe, expect, test } from 'vitest';
import { claim, firstMessage, idempotencyKey, startRun, updateRecord } from '#test/harness/recording.ts';
import { failed, passed, running, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';

const SUMS = 'cart.spec.ts > cart > sums';
const ROUNDS = 'cart.spec.ts > cart > rounds';
type Stage = Awaited<ReturnType<typeof service>>;

/** A machine of the published reporter: joins, claims the spec file, and streams its tests. */
async function stream(stage: Stage, machineId: string, states: Readonly<Record<string, TestState>>) {
  const { api } = stage;
  const run = await startRun(stage, [suiteGroup('retail', Object.keys(states))], { machineId });
  const { instanceId } = await claim(stage, { ...run, machineId }, 'cart.spec.ts');
  const records: Record<string, string> = {};
  const claimed = { runId: run.runId, groupId: 'retail', spec: 'cart.spec.ts', instanceId };
  for (const [name, state] of Object.entries(states)) {
    const answer = await api.post(
      '@/test-record',
      { ...firstMessage(claimed, name, state), machineId },
      idempotencyKey(),
    );
    expect(answer).toMatchObject({ status: 200 });
    records[name] = answer.body.recordId;
  }
  return { runId: run.runId, records };
}

const countsOf = async ({ api }: Stage, runId: string) => {
  const { completionState, status, groups } = await read(api, `/runs/${runId}`);
  const { overall, failures } = groups[0].tests;
  return `${completionState} ${status} ${overall} ${failures}`;
};

describe('The published reporter on two machines with the same tests', () => {
  test.each([['first'], ['second']])('A failure of the %s machine is kept', async (which) => {
    const stage = await service();
    const outcome = (machine: string) => (machine === which ? failed() : passed());
    // A third test keeps the run open until both machines have reported.
    const first = await stream(stage, 'm1', { [SUMS]: outcome('first'), [ROUNDS]: running() });
    const second = await stream(stage, 'm2', { [SUMS]: outcome('second') });
    expect(second.runId).toBe(first.runId);
    expect(second.records[SUMS]).not.toBe(first.records[SUMS]);
    await updateRecord(stage, first.records[ROUNDS] ?? '', passed(), 1);
    expect(await countsOf(stage, first.runId)).toBe('COMPLETE FAILED 3 1');
  });

  test('The run stays open while a test runs that another machine has already reported', async () => {
    const stage = await service();
    const { runId, records } = await stream(stage, 'm1', { [SUMS]: passed(), [ROUNDS]: running() });
    const second = await stream(stage, 'm2', { [SUMS]: running() });
    await updateRecord(stage, records[ROUNDS] ?? '', passed(), 1);
    expect(await countsOf(stage, runId)).toBe('IN_PROGRESS RUNNING 2 0');
    await updateRecord(stage, second.records[SUMS] ?? '', failed(), 1);
    expect(await countsOf(stage, runId)).toBe('COMPLETE FAILED 3 1');
  });
});
