import { describe, expect, test } from 'vitest';
import { recordRun, startRun } from '#test/harness/recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, START, service } from '#test/harness/service.ts';
import { SUITE } from '#test/recording/operations.ts';

const CART = 'cart.spec.ts > cart > sums';

describe('§4.4.3 PUT /runs/cancel-ci/github', () => {
  const ci = { params: { githubRunId: '812', githubRunAttempt: '2' } };

  test.each([
    ['a number', 2],
    ['a string', '2'],
  ])(
    'A cancellation ends every run of the workflow attempt if the attempt number is sent as %s',
    async (_, githubRunAttempt) => {
      const stage = await service();
      const first = await startRun(stage, SUITE, { ci, ciBuildId: 'web' });
      const other = await startRun(stage, SUITE, { ci, ciBuildId: 'app' });
      const { status, body } = await stage.api.put('/runs/cancel-ci/github', { githubRunId: 812, githubRunAttempt });
      expect({ status, data: body.data }).toEqual({
        status: 200,
        data: {
          actor: 'api:CI',
          reason: 'apiRequest',
          canceledAt: START.toISOString(),
          githubRunId: '812',
          githubRunAttempt: '2',
          runIds: expect.arrayContaining([first.runId, other.runId]),
          endedBefore: [],
        },
      });
      for (const { runId } of [first, other]) {
        expect(await read(stage.api, `/runs/${runId}`)).toMatchObject({ completionState: 'CANCELED' });
      }
      const again = await stage.api.put('/runs/cancel-ci/github', { githubRunId: '812', githubRunAttempt });
      expect(again).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining('This run is already cancelled') },
      });
    },
  );

  test('A cancellation is refused if no run is in progress, and the error names the final state of each run', async () => {
    const stage = await service();
    const tests = { retail: { tests: { [CART]: passed() } } };
    const { runId: finished } = await recordRun(stage, tests, { ci, ciBuildId: 'finished' });
    const cancel = () => stage.api.put('/runs/cancel-ci/github', { githubRunId: 812, githubRunAttempt: 2 });
    const said = async () => {
      const { status, body } = await cancel();
      return `${status} ${body.error}`;
    };
    const rest = 'Only a run in progress can be cancelled';
    expect(await said()).toBe(`422 No run was cancelled: run ${finished} has finished. ${rest}`);
    const { runId: cancelled } = await startRun(stage, SUITE, { ci, ciBuildId: 'cancelled' });
    const { body } = await cancel();
    expect(body.data).toMatchObject({
      runIds: [cancelled],
      endedBefore: [{ runId: finished, completionState: 'COMPLETE' }],
    });
    const { runId: timedOut } = await startRun(stage, SUITE, { ci, ciBuildId: 'timed out' });
    clock.advance(31 * 60_000);
    await stage.runSchedule('timeOutRuns');
    const last = await said();
    expect(last).toMatch(/^422 No run was cancelled: /);
    for (const part of [`${finished} has finished`, `${cancelled} was cancelled before`, `${timedOut} has timed out`]) {
      expect(last).toContain(`run ${part}`);
    }
  });

  test('A cancellation with a CI build id ends only the matching runs, and gets 404 if no run matches the project, the build or the attempt', async () => {
    const stage = await service();
    const first = await startRun(stage, SUITE, { ci, ciBuildId: 'web' });
    const other = await startRun(stage, SUITE, { ci, ciBuildId: 'app' });
    const build = { githubRunId: '812', githubRunAttempt: 2 };
    const { body } = await stage.api.put('/runs/cancel-ci/github', { ...build, ciBuildId: 'app' });
    expect(body.data.runIds).toEqual([other.runId]);
    expect(await read(stage.api, `/runs/${first.runId}`)).toMatchObject({ completionState: 'IN_PROGRESS' });
    const { projectId } = stage;
    for (const more of [{ projectId: 'zzzzzz' }, { projectId, ciBuildId: 'ios' }, { githubRunAttempt: 3 }]) {
      expect((await stage.api.put('/runs/cancel-ci/github', { ...build, ...more })).status).toBe(404);
    }
  });
});
