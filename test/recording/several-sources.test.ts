/** A test that several machines, jobs or imports of one build report. */
import { describe, expect, test } from 'vitest';
import { claim, firstMessage, idempotencyKey, startRun, updateRecord } from '#test/harness/recording.ts';
import { failed, passed, running, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';

const SUMS = 'cart.spec.ts > cart > sums';
const ROUNDS = 'cart.spec.ts > cart > rounds';
type Stage = Awaited<ReturnType<typeof service>>;

/** A machine of the published reporter: joins, claims the spec file, and streams its tests. */
async function stream(
  stage: Stage,
  sent: string,
  states: Readonly<Record<string, TestState>>,
  params: Readonly<Record<string, string>> = {},
) {
  const { api } = stage;
  const suite = [suiteGroup('retail', Object.keys(states))];
  const run = await startRun(stage, suite, { machineId: sent, ci: { params } });
  const { machineId } = run;
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

describe('Two processes of the published reporter with one machine id', () => {
  const IN = (job: string) => ({ githubRunId: '9', githubRunAttempt: '1', githubJob: 'e2e', matrixOs: job });

  test.each([['first'], ['second']])('A failure of the %s is kept if their CI variables differ', async (which) => {
    const stage = await service();
    const outcome = (machine: string) => (machine === which ? failed() : passed());
    const first = await stream(stage, 'm1', { [SUMS]: outcome('first') }, IN('linux'));
    const second = await stream(stage, 'm1', { [SUMS]: outcome('second') }, IN('windows'));
    clock.advance(120_000);
    await stage.runSchedule('timeOutRuns');
    expect(second.runId).toBe(first.runId);
    expect(await countsOf(stage, first.runId)).toBe('COMPLETE FAILED 2 1');
  });

  test('The later replaces the first if their CI variables are equal', async () => {
    const stage = await service();
    const first = await stream(stage, 'm1', { [SUMS]: failed(), [ROUNDS]: running() }, IN('linux'));
    const second = await stream(stage, 'm1', { [SUMS]: passed(), [ROUNDS]: passed() }, IN('linux'));
    expect(second.runId).toBe(first.runId);
    expect(await countsOf(stage, first.runId)).toBe('COMPLETE PASSED 2 0');
  });
});
