/** Commit statuses on GitHub: from the recorded run through outbox, event bus and queues to the request. */
import { describe, expect, test } from 'vitest';
import { HEAD, reply, TOKEN, troubleFor } from '#test/harness/github.ts';
import { failed, flaky, passed } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents, logLines } from '#test/harness/service.ts';
import { ofPull, run, runAtOnce, type Stage, stage } from './stage.ts';

deliverEvents();

const SHA = '1560994359f3ef0cf70b4c8d9cccab5c25b9da90';
const ONLY_STATUS = { comments: false };

const states = ({ github }: Stage) => github.statuses.map(({ state, description }) => [state, description]);

describe('The status of a commit', () => {
  test('The commit status is pending during the run, then says what failed, and links to the run', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    const open = await run(here, 'build', {
      retail: { tests: { 'a.spec.ts > a': failed(), 'b.spec.ts > b': undefined } },
    });
    await expect.poll(() => states(here)).toEqual([['pending', 'Tests are running']]);
    await run(here, 'other', {
      retail: { tests: { 'a.spec.ts > a': failed(), 'b.spec.ts > b': flaky(), 'c.spec.ts > c': passed() } },
    });
    await here.settled(3);
    expect(here.github.statuses.at(-1)).toMatchObject({
      sha: SHA,
      state: 'failure',
      description: '1 failed, 1 flaky of 3',
      context: 'rundown/Shop',
    });
    expect(here.github.statuses[0]?.target_url).toBe(
      `${here.origin}/${here.organizationId}/${here.projectId}/runs/${open.runId}`,
    );
    const [request] = here.github.received;
    expect(request?.header('authorization')).toBe(`Bearer ${TOKEN}`);
    expect(request?.header('x-github-api-version')).toBe('2022-11-28');
  });

  test('A run that passed gets the commit status success, on the head commit of its pull request', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    await runAtOnce(here, 'build', { 'a.spec.ts > a': passed() }, ofPull(7));
    await here.settled(2);
    expect(here.github.statuses.at(-1)).toMatchObject({ sha: HEAD, state: 'success', description: '1 passed of 1' });
  });

  test('The final commit status is written only once for a run with several groups', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    const tests = { 'a.spec.ts > a': passed() };
    await run(here, 'build', { retail: { tests }, wholesale: { tests }, export: { tests } });
    const told = await here.settled(2);
    expect(told.map(({ event }) => event).sort()).toEqual(['RunEnded', 'RunStarted']);
    expect(here.github.statuses.filter(({ state }) => state === 'success')).toHaveLength(1);
  });

  test('If GitHub responds with an error, a retry writes the commit status', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    troubleFor(here.github, 1, (response) => reply(response, 502, { message: 'Server Error' }));
    await runAtOnce(here, 'build', { 'a.spec.ts > a': passed() });
    await expect.poll(async () => (await here.deliveries()).some(({ attemptsMade }) => attemptsMade === 1)).toBe(true);
    clock.advance(7000);
    const told = await here.settled(2);
    expect(told.map(({ status }) => status)).toEqual(['delivered', 'delivered']);
    expect(here.github.statuses.at(-1)?.state).toBe('success');
  });
});

describe('A refusal of GitHub', () => {
  test.each([
    [401, { message: 'Bad credentials' }, /does not accept the token.*Bad credentials/],
    [403, { message: 'Resource not accessible by personal access token' }, /lacks a permission/],
    [404, { message: 'Not Found' }, /does not exist, or the token has no access to it/],
    [301, { message: 'Moved Permanently' }, /was renamed/],
  ])(
    'A refusal by GitHub with %i disables the notification until it is saved again, and the notification shows the reason',
    async (status, body, problem) => {
      const here = await stage();
      await here.save(ONLY_STATUS);
      troubleFor(here.github, 1, (response) => reply(response, status, body));
      await runAtOnce(here, 'build', { 'a.spec.ts > a': passed() });
      await expect
        .poll(here.notificationNow)
        .toMatchObject({ disabled: { reason: 'refused', problem: expect.stringMatching(problem) } });
      const requests = here.github.received.length;
      await runAtOnce(here, 'next', { 'a.spec.ts > a': passed() });
      expect(await here.save(ONLY_STATUS)).not.toHaveProperty('disabled');
      expect(here.github.received.length).toBeLessThanOrEqual(requests + 1);
    },
  );

  test('If GitHub does not know a commit, only the deliveries about this commit are dropped', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    here.github.unknownCommits.add(SHA);
    await runAtOnce(here, 'build', { 'a.spec.ts > a': passed() });
    for (const { status, attempts } of await here.settled(2)) {
      expect(status).toBe('dropped');
      expect(attempts.at(-1)?.error).toContain('No commit found for SHA');
    }
    expect(await here.notificationNow()).not.toHaveProperty('disabled');
  });

  test('A refusal because of a rate limit pauses the notification until the time that GitHub names', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    const reset = Math.floor(Date.now() / 1000) + 600;
    const limited = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) };
    troubleFor(here.github, 1, (response) => reply(response, 403, { message: 'API rate limit exceeded' }, limited));
    await runAtOnce(here, 'build', { 'a.spec.ts > a': passed() });
    await expect.poll(async () => ((await here.notificationNow())?.pausedUntil ?? 0) >= reset * 1000 - 1000).toBe(true);
    expect(await here.notificationNow()).not.toHaveProperty('disabled');
    // The deliveries about the start and the end of the run may be in flight at the same time.
    expect(here.github.received.length).toBeLessThanOrEqual(2);
  });
});

test('no log line contains the token of a notification', () => {
  expect(logLines.some((line) => line.includes('deliverNotification'))).toBe(true);
  expect(logLines.filter((line) => line.includes(TOKEN))).toEqual([]);
});
