/** Messages to Slack: which runs they report, what they say, and how the service handles Slack's responses. */
import { describe, expect, test } from 'vitest';
import type { ChannelNotification } from '#shared/model/events/notification.ts';
import { deriveNotificationId, notifications } from '#shared/model/events/notification.ts';
import { getNotificationDeliveriesSpan, notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { NO_COMMIT } from '#shared/model/runs/commit.ts';
import { deleteNotification, sendTestNotification } from '#shared/notifications/change-notification.ts';
import { formatSlackText } from '#shared/notifications/channels/slack.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { COMMIT, failed, passed } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents, logLines } from '#test/harness/service.ts';
import { slackStandIn } from '#test/harness/slack.ts';
import { runAtOnce, stage } from './stage.ts';

deliverEvents();

async function inSlack(runs: ChannelNotification['runs'], branches: string[] = []) {
  const here = await stage();
  const slack = await slackStandIn();
  const save = () =>
    saveNotification(here.services, {
      ...here.request,
      settings: { kind: 'slack', runs, branches, credential: slack.address },
    });
  await save();
  const key = { organizationId: here.organizationId, hookId: deriveNotificationId(here.projectId, 'slack') };
  const deliveries = () =>
    here.services.table.queryAll(notificationDeliveries, getNotificationDeliveriesSpan(key), { consistent: true });
  const settled = (count: number) =>
    expect.poll(async () => (await deliveries()).filter(({ status }) => status !== 'pending').length).toBe(count);
  const notificationNow = () => here.services.table.get(notifications, key, { consistent: true });
  const record = (build: string, state: 'passes' | 'fails') =>
    runAtOnce(here, build, { 'a.spec.ts > a': state === 'passes' ? passed() : failed() });
  return { ...here, slack, save, deliveries, settled, notificationNow, record };
}

const HOSTILE = ['<!channel> <@U123> <https://evil.example|x>', '& < >', '`code` *bold*', '@here'] as const;

async function toldAboutHostile() {
  const here = await inSlack('failed');
  await runAtOnce(here, 'build', Object.fromEntries(HOSTILE.map((title) => [`a.spec.ts > ${title}`, failed()])));
  await here.settled(1);
  return { here, text: here.slack.texts().join() };
}

let shared: ReturnType<typeof toldAboutHostile> | undefined;
/** The message about the tests in `HOSTILE`. It is sent only once, because all test cases read the same message. */
const aboutHostile = () => (shared ??= toldAboutHostile());

describe('Slack', () => {
  test.each([
    ['failed', 3, ['b', 'c']],
    ['changed', 4, ['b', 'd']],
    ['all', 2, ['a', 'b']],
  ] as const)(
    'With the setting "%s" and the first %i of the builds a (passed), b (failed), c (failed) and d (passed), Slack gets messages only about %j',
    async (runs, count, told) => {
      const here = await inSlack(runs);
      const all = [
        ['a', 'passes'],
        ['b', 'fails'],
        ['c', 'fails'],
        ['d', 'passes'],
      ] as const;
      const builds = all.slice(0, count);
      for (const [build, state] of builds) await here.record(build, state);
      await here.settled(builds.length);
      const named = here.slack.texts().map((text) => /build `(\w)`/.exec(text)?.[1]);
      expect(named.sort()).toEqual(told);
    },
  );

  test('gets messages only about runs of its branches, and of no branch if it has some', async () => {
    const here = await inSlack('all', ['main', 'release/*']);
    for (const branch of ['dependabot/npm/x', 'main2', null, 'main', 'release/2'])
      await runAtOnce(here, `on ${branch}`, { 'a.spec.ts > a': failed() }, { ...COMMIT, branch });
    await here.settled(2);
    expect(
      here.slack
        .texts()
        .map((text) => /build `on ([^`]+)`/.exec(text)?.[1])
        .sort(),
    ).toEqual(['main', 'release/2']);
  });

  test('gets messages about runs of every branch again once its branches are removed', async () => {
    const here = await inSlack('all', ['main']);
    await saveNotification(here.services, { ...here.request, settings: { kind: 'slack', runs: 'all', branches: [] } });
    await runAtOnce(here, 'on any', { 'a.spec.ts > a': failed() }, { ...COMMIT, branch: 'dependabot/npm/x' });
    await here.settled(1);
  });

  test('A project may report to several channels, each with its own address, branches and condition', async () => {
    const here = await inSlack('all', ['main']);
    const other = await slackStandIn();
    const settings = { kind: 'slack', place: 'slack-2', runs: 'failed', credential: other.address } as const;
    await saveNotification(here.services, { ...here.request, settings: { ...settings, branches: ['feature/*'] } });
    for (const branch of ['main', 'feature/x'])
      await runAtOnce(here, branch, { 'a.spec.ts > a': failed() }, { ...COMMIT, branch });
    await expect.poll(() => [here.slack.texts().length, other.texts().length]).toEqual([1, 1]);
    expect(here.slack.texts()[0]).toContain('build `main`');
    expect(other.texts()[0]).toContain('build `feature/x`');
    await deleteNotification(here.services, { ...here.request, place: 'slack' });
    await runAtOnce(here, 'later', { 'a.spec.ts > a': failed() }, { ...COMMIT, branch: 'feature/x' });
    await expect.poll(() => other.texts().length).toBe(2);
    expect(here.slack.texts()).toHaveLength(1);
  });

  test('gets the result with links to the run and to its failed tests', async () => {
    const here = await inSlack('failed');
    const { runId, instances } = await here.record('build', 'fails');
    await here.settled(1);
    const [text = ''] = here.slack.texts();
    expect(text).toContain(`<${here.origin}/${here.organizationId}/${here.projectId}/runs/${runId}|1 failed of 1>`);
    expect(text).toContain('• failed: `a` <');
    expect(text).toContain(`/instances/${instances['retail a.spec.ts']}/test?test_id=`);
  });

  test.each(HOSTILE)('shows a test named %s as text, and mentions nobody', async (title) => {
    const { here, text } = await aboutHostile();
    const links = [...text.matchAll(/<([^>|]*)/g)].map(([, to = '']) => to);
    expect(links.every((to) => to.startsWith(here.origin))).toBe(true);
    expect(text).toContain(
      title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('`', "'"),
    );
  });

  test('shows the names of a project, a build and a branch as text, even if they contain formatting, mentions or emoji', async () => {
    const names = ['`', '``` x', '*Shop*', '_shop_ ~old~', ':tada:', '<!here>', '> quote', '', '`a` `b'];
    for (const name of names) {
      const run = { organizationId: 'o', projectId: 'p', runId: 'r', ciBuildId: name };
      const problems = [name];
      const commit = { ...NO_COMMIT, branch: name };
      const comparison = {
        runId: 'r',
        projectId: 'p',
        base: null,
        baseBranch: 'main',
        isWhole: true,
        sections: [],
      };
      const facts = {
        origin: 'https://rundown.example',
        projectName: name,
        run: { ...run, commit },
        comparison,
        problems,
      };
      const text = formatSlackText({ ...facts, result: '1 failed of 1' });
      // Code spans end on the line on which they begin, and no text that outsiders chose is outside a code span.
      const outside = text.replaceAll(/`[^`\n]*`/g, '');
      expect(outside).toMatch(
        /^\*\*: <https:\/\/rundown\.example\/o\/p\/runs\/r\|1 failed of 1>\nbuild (, branch )?\n• $/,
      );
    }
  });

  test.each([
    [404, 'no_service'],
    [403, 'action_prohibited'],
    [410, 'channel_is_archived'],
  ])(
    'The response %i %s of Slack disables the notification, which shows the reason without revealing the webhook address',
    async (status, answer) => {
      const here = await inSlack('all');
      here.slack.answerWith({ status, text: answer });
      await here.record('build', 'passes');
      await expect.poll(here.notificationNow).toHaveProperty('disabled');
      const { disabled } = (await here.notificationNow()) ?? {};
      expect(disabled?.problem).toContain(`(${status} ${answer})`);
      expect(JSON.stringify([disabled, await here.deliveries()])).not.toContain('/services/');
    },
  );

  test('gets the next message even if it refused the previous message', async () => {
    const here = await inSlack('all');
    here.slack.answerWith({ status: 400, text: 'invalid_payload' });
    await here.record('first', 'passes');
    await here.settled(1);
    await here.record('second', 'passes');
    await here.settled(2);
    expect(here.slack.texts()).toHaveLength(1);
    expect(await here.notificationNow()).not.toHaveProperty('disabled');
  });

  test('gets a message once, after the pause that its rate limit requires', async () => {
    const here = await inSlack('all');
    here.slack.answerWith({ status: 429, text: 'rate_limited', headers: { 'Retry-After': '3' } });
    await here.record('build', 'passes');
    await expect.poll(async () => (await here.deliveries())[0]?.attemptsMade).toBe(1);
    // The service records the attempt before it records the pause, so the test also waits for the pause.
    await expect
      .poll(async () => (await here.notificationNow())?.pausedUntil ?? 0)
      .toBeGreaterThanOrEqual(Date.now() + 3000);
    clock.advance(9000);
    await here.settled(1);
    expect(here.slack.texts()).toHaveLength(1);
  });

  test('gets a test message on request', async () => {
    const here = await inSlack('failed');
    await sendTestNotification(here.services, { ...here.request, place: 'slack' });
    await here.settled(1);
    expect(here.slack.texts()).toEqual([expect.stringContaining('can reach this channel')]);
  });
});

test('no log line contains the address of an incoming webhook', () => {
  expect(logLines.some((line) => line.includes('deliverNotification'))).toBe(true);
  expect(logLines.filter((line) => line.includes('/services/T0'))).toEqual([]);
});
