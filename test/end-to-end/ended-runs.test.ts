import { once } from 'node:events';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Received, receiver } from '#test/harness/receiver.ts';
import { read } from '#test/harness/recording-readback.ts';
import { deliverEvents, service } from '#test/harness/service.ts';
import { runSample } from './programs.ts';

deliverEvents();

const SUITE = 'playwright-slow';
const MINUTE_MILLISECONDS = 60_000;

/**
 * Starts a server that delays a test of the sample suite: the test waits for a response, and the server responds only
 * after `open` has been called.
 */
async function gate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const server = createServer((_, response) => void opened.then(() => response.end('go on')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The gate has no port');
  return { url: `http://127.0.0.1:${address.port}`, reached: once(server, 'request'), open };
}

/**
 * Records the sample suite until one of its tests waits at the gate, calls `happens`, which ends the run, and then
 * opens the gate. `sent`: the number of messages that the webhook gets in all.
 */
async function recordingWhile(happens: (stage: Stage, runId: string) => Promise<unknown>, sent: number) {
  vi.useRealTimers();
  const stage = await service();
  const { url, received } = await receiver();
  const made = await stage.api.post(`/webhooks?projectId=${stage.projectId}`, { url, signed: true });
  const door = await gate();
  const playing = runSample(stage, { ciBuildId: 'ended', suite: SUITE, env: { GATE_URL: door.url } });
  await door.reached;
  const found = `/runs/find?projectId=${stage.projectId}&ciBuildId=ended`;
  const overall = async () => (await read(stage.api, found)).groups[0].tests.overall;
  await expect.poll(overall).toBe(1);
  const { runId } = await read(stage.api, found);
  const signing = new Webhook(made.body.data.signingSecret);
  // The verification of a signature compares the time of the message with the clock, so the test verifies signatures
  // before it advances the clock.
  await expect.poll(() => received.length).toBe(1);
  const messages = received.map((one) => verified(signing, one));
  await happens(stage, runId);
  door.open();
  const { status, output } = await playing;
  // A run that the reporter reopened ends after it has been silent, because the reporter does not say that it has ended.
  // The clock stops with its end, because signatures of messages are valid for a few minutes only.
  const isOver = async () => {
    if ((await read(stage.api, `/runs/${runId}`)).completionState === 'IN_PROGRESS') {
      vi.setSystemTime(Date.now() + 2 * MINUTE_MILLISECONDS);
      await stage.runSchedule('timeOutRuns');
    }
    return received.length;
  };
  await expect.poll(isOver).toBe(sent);
  messages.push(...received.slice(1).map((one) => verified(signing, one)));
  const run = await read(stage.api, `/runs/${runId}`);
  return { stage, runId, status, output, run, messages };
}

function verified(signing: Webhook, { body, header }: Received): unknown {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  return signing.verify(body, Object.fromEntries(names.map((name) => [name, header(name) ?? ''])));
}

type Stage = Awaited<ReturnType<typeof service>>;

const later = (run: { specs: { spec: string; results: unknown }[] }) =>
  run.specs.find(({ spec }) => spec.endsWith('b-later.spec.ts'));

describe('@currents/playwright in a run that ends during recording', () => {
  test('The reporter, the API and the webhooks agree that a run was cancelled during recording', async () => {
    const { status, output, run, messages, runId, stage } = await recordingWhile(async ({ api }, id) => {
      expect((await api.put(`/runs/${id}/cancel`)).status).toBe(200);
    }, 2);

    expect(output).toContain('This run is cancelled. Start a new run with another CI build id');
    // All tests of the suite pass, so the exit status comes from the reporter.
    expect(status).toBe(1);
    expect(run).toMatchObject({
      status: 'PASSED',
      completionState: 'CANCELED',
      cancellation: { actor: 'api:CI', reason: 'apiRequest' },
    });
    // The reporter stops recording, but may still report the test that waited at the gate.
    const { overall, passes } = run.groups[0].tests;
    expect([1, 2]).toContain(overall);
    expect(passes).toBe(overall);
    // The service refused the next spec file, so that file has no results.
    expect(later(run)).toMatchObject({ results: null });
    const runUrl = `${stage.origin}/${stage.organizationId}/${stage.projectId}/runs/${runId}`;
    expect(messages).toMatchObject([
      { event: 'RUN_START', runUrl, buildId: 'ended', overall: 0 },
      { event: 'RUN_CANCELED', runUrl, buildId: 'ended', overall: 1, passes: 1 },
    ]);
  });

  test('The reporter, the API and the webhooks agree that a run that timed out during recording is complete once its last tests have arrived', async () => {
    const { output, run, messages } = await recordingWhile(async ({ api, runSchedule }, id) => {
      // The scheduled function is called until the run times out, because a message that the reporter sends just before
      // a call extends the timeout of the run.
      const state = async () => {
        vi.setSystemTime(Date.now() + 31 * MINUTE_MILLISECONDS);
        await runSchedule('timeOutRuns');
        return (await read(api, `/runs/${id}`)).completionState;
      };
      await expect.poll(state).toBe('TIMEOUT');
    }, 3);
    expect(output).not.toContain('This run has ended');
    expect(run).toMatchObject({
      status: 'PASSED',
      completionState: 'COMPLETE',
      timeout: { isTimeout: false },
      groups: [{ tests: { overall: 3, passes: 3 } }],
    });
    expect(messages).toMatchObject([
      { event: 'RUN_START', overall: 0 },
      { event: 'RUN_TIMEOUT', overall: 1, passes: 1 },
      { event: 'RUN_FINISH', overall: 3, passes: 3 },
    ]);
  });
});
