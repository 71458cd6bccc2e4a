/** Commit statuses at GitHub and GitLab: from the recorded run through outbox, event bus and queues to the request. */
import { describe, expect, test } from 'vitest';
import { sendTestNotification } from '#shared/notifications/change-notification.ts';
import { HEAD, reply, TOKEN, troubleFor } from '#test/harness/code-host.ts';
import { failed, flaky, passed } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents, logLines } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { ofPull, run, runAtOnce, type Stage, stage } from './stage.ts';

deliverEvents();

const SHA = '1560994359f3ef0cf70b4c8d9cccab5c25b9da90';
const ONLY_STATUS = { comments: false };

const states = ({ host }: Stage) => host.statuses.map(({ state, description }) => [state, description]);

describe('The status of a commit', () => {
  test('The commit status is pending during the run, then says what failed, and links to the run', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    const open = await run(here, 'build', {
      retail: { tests: { 'a.spec.ts > a': failed(), 'b.spec.ts > b': undefined } },
    });
    await expect.poll(() => states(here)).toEqual([['pending', 'Tests are running']]);
    await run(here, 'build', {
      retail: { tests: { 'b.spec.ts > b': flaky(), 'c.spec.ts > c': passed() } },
    });
    await here.settled(2);
    expect(here.host.statuses.at(-1)).toMatchObject({
      sha: SHA,
      state: 'failure',
      description: '1 failed, 1 flaky of 3',
      name: 'rundown/Shop',
    });
    expect(here.host.statuses[0]?.target_url).toBe(
      `${here.origin}/${here.organizationId}/${here.projectId}/runs/${open.runId}`,
    );
    const [request] = here.host.received;
    expect(request?.header('authorization')).toBe(`Bearer ${TOKEN}`);
    expect(request?.header('x-github-api-version')).toBe('2022-11-28');
  });

  test('A run that passed gets the commit status success, on the head commit of its pull request', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    await runAtOnce(here, 'build', { 'a.spec.ts > a': passed() }, ofPull(7));
    await here.settled(2);
    expect(here.host.statuses.at(-1)).toMatchObject({ sha: HEAD, state: 'success', description: '1 passed of 1' });
  });

  test('The final commit status is written only once for a run with several groups', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    const tests = { 'a.spec.ts > a': passed() };
    await run(here, 'build', { retail: { tests }, wholesale: { tests }, export: { tests } });
    const told = await here.settled(2);
    expect(told.map(({ event }) => event).sort()).toEqual(['RunEnded', 'RunStarted']);
    expect(here.host.statuses.filter(({ state }) => state === 'success')).toHaveLength(1);
  });

  test('A run that timed out because results were lost fails the commit, and the status, the page and the API say how many tests are missing', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    const { runId } = await run(here, 'build', {
      retail: { tests: { 'a.spec.ts > a': passed(), 'b.spec.ts > b': undefined, 'b.spec.ts > c': undefined } },
    });
    clock.advance(24 * 60 * 60_000);
    await here.runSchedule('timeOutRuns');
    await here.settled(2);
    expect(here.host.statuses.at(-1)).toMatchObject({
      state: 'failure',
      description: 'Timed out: 2 of 3 missing, 1 passed of 1',
    });
    const { data } = (await here.reader.get(`/runs/${runId}`)).body;
    expect([data.status, data.completionState]).toEqual(['FAILED', 'TIMEOUT']);
    expect(data.problems).toContainEqual(
      expect.objectContaining({ kind: 'missingResults', message: expect.stringContaining('2 expected tests') }),
    );
    const page = await (await signedIn(here, 'member')).get(`/${here.organizationId}/${here.projectId}/runs/${runId}`);
    expect(page.text).toContain('2 expected tests never reported a result');
  });

  test('If GitHub responds with an error, a retry writes the commit status', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    troubleFor(here.host, 1, (response) => reply(response, 502, { message: 'Server Error' }));
    await runAtOnce(here, 'build', { 'a.spec.ts > a': passed() });
    await expect.poll(async () => (await here.deliveries()).some(({ attemptsMade }) => attemptsMade === 1)).toBe(true);
    clock.advance(7000);
    const told = await here.settled(2);
    expect(told.map(({ status }) => status)).toEqual(['delivered', 'delivered']);
    expect(here.host.statuses.at(-1)?.state).toBe('success');
  });
});

describe('A refusal by GitHub', () => {
  test.each([
    [401, { message: 'Bad credentials' }, /does not accept the token.*Bad credentials/],
    [403, { message: 'Resource not accessible by personal access token' }, /lacks a permission/],
    [404, { message: 'Not Found' }, /does not exist, or the token has no access to it/],
    [301, { message: 'Moved Permanently' }, /was renamed/],
  ])(
    'A refusal by GitHub with status %i disables the notification until it is saved again, and the notification shows the reason',
    async (status, body, problem) => {
      const here = await stage();
      await here.save(ONLY_STATUS);
      troubleFor(here.host, 1, (response) => reply(response, status, body));
      await runAtOnce(here, 'build', { 'a.spec.ts > a': passed() });
      await expect
        .poll(here.notificationNow)
        .toMatchObject({ disabled: { reason: 'refused', problem: expect.stringMatching(problem) } });
      const requests = here.host.received.length;
      await runAtOnce(here, 'next', { 'a.spec.ts > a': passed() });
      expect(await here.save(ONLY_STATUS)).not.toHaveProperty('disabled');
      expect(here.host.received.length).toBeLessThanOrEqual(requests + 1);
    },
  );

  test('If GitHub does not know a commit, only the deliveries about this commit are dropped', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    here.host.unknownCommits.add(SHA);
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
    troubleFor(here.host, 1, (response) => reply(response, 403, { message: 'API rate limit exceeded' }, limited));
    await runAtOnce(here, 'build', { 'a.spec.ts > a': passed() });
    await expect.poll(async () => ((await here.notificationNow())?.pausedUntil ?? 0) >= reset * 1000 - 1000).toBe(true);
    expect(await here.notificationNow()).not.toHaveProperty('disabled');
    // The deliveries about the start and the end of the run may be in flight at the same time.
    expect(here.host.received.length).toBeLessThanOrEqual(2);
  });
});

describe('A notification to GitLab', () => {
  test('The commit status at GitLab is running during the run, and a retry succeeds although GitLab refuses to repeat a state', async () => {
    const here = await stage('gitlab');
    await here.save(ONLY_STATUS);
    // GitLab stores the status, but its response is lost.
    here.host.trouble = (response, received) => {
      here.host.trouble = () => false;
      here.host.answerTo(received);
      response.destroy();
      return true;
    };
    const tests = { 'a.spec.ts > a': failed(), 'b.spec.ts > b': undefined };
    await run(here, 'build', { retail: { tests } });
    await expect.poll(async () => (await here.deliveries()).some(({ attemptsMade }) => attemptsMade === 1)).toBe(true);
    clock.advance(7000);
    expect(await here.settled(1)).toMatchObject([{ status: 'delivered', attemptsMade: 2 }]);
    await run(here, 'build', { retail: { tests: { ...tests, 'b.spec.ts > b': passed() } } });
    await here.settled(2);
    expect(states(here)).toEqual([
      ['running', 'Tests are running'],
      ['failed', '1 failed of 2'],
    ]);
    expect(here.host.received[0]?.header('authorization')).toBe(`Bearer ${TOKEN}`);
  });

  test('A delivery that GitLab refuses is tried again after a conflict, but dropped if the commit is unknown or the state is impossible, and the notification stays enabled', async () => {
    const here = await stage('gitlab');
    await here.save(ONLY_STATUS);
    const tests = { retail: { tests: { 'a.spec.ts > a': undefined } } };
    const refusals = [
      [409, 'Another update to this commit status is in progress', 'delivered'],
      [400, 'Cannot transition status via :run from :success', 'dropped'],
      [404, '404 Commit Not Found', 'dropped'],
    ] as const;
    for (const [at, [status, message]] of refusals.entries()) {
      troubleFor(here.host, 1, (response) => reply(response, status, { message }));
      await run(here, `build-${at}`, tests);
      await expect.poll(async () => (await here.deliveries())[at]?.attemptsMade).toBe(1);
      clock.advance(7000);
      await here.settled(at + 1);
    }
    const outcomes = (await here.deliveries()).map(({ status, attempts }) => [status, attempts[0]?.error]);
    expect(outcomes).toEqual([
      ['delivered', expect.stringContaining('is in progress')],
      ['dropped', expect.stringContaining('from :success')],
      ['dropped', expect.stringContaining('was not found on any branch of the project')],
    ]);
    expect(await here.notificationNow()).not.toHaveProperty('disabled');
  });

  test('A refusal by GitLab disables the notification, which then says what to correct; a rate limit pauses the notification, and a delivery is tried again after an outage', async () => {
    const here = await stage('gitlab');
    const reset = String(Math.floor(Date.now() / 1000) + 600);
    const answered = async (status: number, body: object, headers = {}) => {
      await here.save();
      const made = (await here.deliveries()).length;
      troubleFor(here.host, 1, (response) => reply(response, status, body, headers));
      clock.advance(1000);
      await sendTestNotification(here.services, { ...here.request, place: 'gitlab' });
      await expect.poll(async () => (await here.deliveries())[made]?.attemptsMade).toBe(1);
      return here.notificationNow();
    };
    const scope = { error: 'insufficient_scope', error_description: 'The request requires higher privileges' };
    const refusals: readonly (readonly [number, object, RegExp])[] = [
      [401, { message: '401 Unauthorized' }, /GitLab does not accept the token. Replace it/],
      [403, scope, /needs the scope api.*requires higher privileges/],
      [404, { message: '404 Project Not Found' }, /The project does not exist, or the token has no access to it/],
      [302, { message: 'This resource has been moved' }, /The project was renamed, or the API address is wrong/],
    ];
    for (const [status, body, problem] of refusals)
      expect((await answered(status, body))?.disabled).toMatchObject({
        reason: 'refused',
        problem: expect.stringMatching(problem),
      });
    const message = { error: 'This endpoint has been requested too many times' };
    const { pausedUntil = 0 } = (await answered(429, { message }, { 'RateLimit-Reset': reset })) ?? {};
    expect(pausedUntil).toBeGreaterThanOrEqual(Number(reset) * 1000 - 1000);
    expect(await answered(502, {})).not.toHaveProperty('disabled');
    clock.advance(7000);
    await expect.poll(async () => (await here.deliveries()).at(-1)?.status).toBe('delivered');
  });
});

test('No log line contains the token of a notification', () => {
  expect(logLines.some((line) => line.includes('deliverNotification'))).toBe(true);
  expect(logLines.filter((line) => line.includes(TOKEN))).toEqual([]);
});
