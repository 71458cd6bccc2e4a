import { describe, expect, test } from 'vitest';
import { USUAL_PAUSE_SECONDS } from '#shared/hosts/api-client.ts';
import { deriveNotificationId, notifications } from '#shared/model/events/notification.ts';
import { checkNotificationSettings } from '#shared/notifications/check-settings.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { attack } from '#test/harness/attacks.ts';
import { sampled } from '#test/harness/cases.ts';
import { reply, TOKEN, troubleFor } from '#test/harness/code-host.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents } from '#test/harness/service.ts';
import { slackStandIn } from '#test/harness/slack.ts';
import { target } from '#test/webhooks/target.ts';
import { ofPull, runAtOnce, stage } from './stage.ts';

deliverEvents();

const TESTS = { 'a.spec.ts > a': passed() };
const ONLY_STATUS = { comments: false };

describe('A redirect', () => {
  test.each(sampled([301, 302, 307, 308], 2))(
    'A redirect from Slack with status %i to a private address is not followed, and disables the notification',
    async (status) => {
      const here = await stage();
      const slack = await slackStandIn();
      const inside = await target();
      attack('inside addresses');
      const location = `https://127.0.0.1:${inside.port}/latest/meta-data`;
      slack.answerWith({ status, text: '', headers: { Location: location } });
      const settings = { kind: 'slack', runs: 'all', credential: slack.address } as const;
      await saveNotification(here.services, { ...here.request, settings });
      await runAtOnce(here, 'build', TESTS);
      const key = { organizationId: here.organizationId, hookId: deriveNotificationId(here.projectId, 'slack') };
      const disabled = async () => (await here.services.table.get(notifications, key, { consistent: true }))?.disabled;
      await expect.poll(disabled).toMatchObject({ reason: 'refused' });
      expect(JSON.stringify(await disabled())).not.toMatch(/127\.0|meta-data/);
      expect([slack.received.length, inside.connections()]).toEqual([1, 0]);
    },
  );

  test.each([
    [303, /Correct the address/],
    [307, /was renamed/],
  ])(
    'A redirect from GitHub with status %i to a private address is not followed, and disables the notification, which then says what to correct',
    async (status, problem) => {
      const here = await stage();
      const inside = await target();
      attack('inside addresses');
      await here.save(ONLY_STATUS);
      const headers = { Location: `https://127.0.0.1:${inside.port}/repositories/1/statuses/x` };
      troubleFor(here.host, 9, (response) => reply(response, status, { message: 'Moved' }, headers));
      await runAtOnce(here, 'build', TESTS);
      await expect
        .poll(here.notificationNow)
        .toMatchObject({ disabled: { reason: 'refused', problem: expect.stringMatching(problem) } });
      expect(inside.connections()).toBe(0);
    },
  );
});

describe('An address inside the network', () => {
  test.each([
    'https://127.0.0.1/services/T0/B0/x',
    'https://[::1]/services/T0/B0/x',
    'https://169.254.169.254/latest',
    'https://10.0.0.7/hook',
    'https://localhost/hook',
    'https://2130706433/hook',
    'http://hooks.slack.com/services/T0/B0/x',
    'https://user:pw@hooks.slack.com/services/T0/B0/x',
  ])('The settings of a notification to an internal or unsafe address are refused: %s', (address) => {
    const policy = { privateReceivers: 'none' as const };
    attack('inside addresses');
    const slack = () => checkNotificationSettings({ kind: 'slack', runs: 'all', credential: address }, policy);
    expect(slack).toThrow('The webhook address is invalid');
    expect(slack).not.toThrow(/127|169|10\.0|pw@/);
  });
});

describe('An address of another service', () => {
  test.each([
    ['slack', 'https://example.com/services/T0/B0/x'],
    ['slack', 'https://hooks.slack.com.example.com/services/T0/B0/x'],
    ['slack', 'https://8.8.8.8/services/T0/B0/x'],
    ['teams', 'https://hooks.slack.com/services/T0/B0/x'],
    ['teams', 'https://evillogic.azure.com.example.com/workflows/x'],
  ] as const)('A channel of %s refuses the address %s, and names where to connect it instead', (kind, credential) => {
    const save = () => checkNotificationSettings({ kind, runs: 'all', credential }, { privateReceivers: 'none' });
    expect(save).toThrow('connect another chat instead');
    expect(save).not.toThrow(/example|8\.8/);
  });

  test.each([
    ['slack', 'https://hooks.slack.com/services/T0/B0/x'],
    ['teams', 'https://prod-12.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?sig=x'],
    ['teams', 'https://default1.a2.environment.api.powerplatform.com:443/powerautomate/automations/x?sig=y'],
    ['generic', 'https://chat.example.com/hooks/x'],
  ] as const)('A channel of %s accepts the address %s', (kind, credential) => {
    const settings = { kind, runs: 'all', credential } as const;
    expect(checkNotificationSettings(settings, { privateReceivers: 'none' })).toEqual(settings);
  });
});

describe('A secondary rate limit of GitHub', () => {
  test.each([
    ['with a Retry-After header', { 'retry-after': '90' }, 90],
    ['without a Retry-After header', {}, USUAL_PAUSE_SECONDS],
  ])('A secondary rate limit of GitHub %s pauses the notification', async (_, headers, seconds) => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
    troubleFor(here.host, 2, (response) => reply(response, 403, { message }, headers));
    await runAtOnce(here, 'build', TESTS);
    const pausedFor = async () => ((await here.notificationNow())?.pausedUntil ?? 0) - Date.now();
    await expect.poll(pausedFor).toBeGreaterThan((seconds - 5) * 1000);
    expect(await here.notificationNow()).not.toHaveProperty('disabled');
    expect(here.host.statuses).toEqual([]);
  });

  test('A rate limit of GitHub with status 429 and an invalid reset time pauses the notification', async () => {
    const here = await stage();
    await here.save(ONLY_STATUS);
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' };
    troubleFor(here.host, 2, (response) => reply(response, 429, { message: 'x'.repeat(10_000) }, headers));
    await runAtOnce(here, 'build', TESTS);
    await expect.poll(async () => (await here.notificationNow())?.pausedUntil ?? 0).toBeGreaterThan(Date.now());
    for (const { attempts } of await here.deliveries())
      for (const { error } of attempts) expect((error ?? '').length).toBeLessThan(500);
  });
});

test('The error of a delivery does not contain the token, even if the message of GitHub repeats it', async () => {
  const here = await stage();
  await here.save(ONLY_STATUS);
  troubleFor(here.host, 9, (response) => reply(response, 403, { message: `Bad scope of ${TOKEN}` }));
  await runAtOnce(here, 'build', TESTS);
  await expect.poll(here.notificationNow).toMatchObject({ disabled: { reason: 'refused' } });
  expect(JSON.stringify([await here.notificationNow(), await here.deliveries()])).not.toContain(TOKEN);
});

/** `npm test` tries only two of these responses: HTML and unexpected JSON. */
const ODD = [
  ['no JSON', '<html>proxy</html>'],
  ['an empty body', ''],
  ['JSON of another form', '[{"id":"x"}]'],
  ['null', 'null'],
] as const;

describe('An invalid response of GitHub', () => {
  test.each(sampled(ODD, 2))('fails the attempt, and the next attempt writes one comment: %s', async (_, text) => {
    const here = await stage();
    attack('hostile answers');
    await here.save({ sendsStatus: false });
    troubleFor(here.host, 1, (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(text));
    await runAtOnce(here, 'build', TESTS, ofPull(7));
    const attempts = async () => (await here.deliveries()).flatMap((delivery) => delivery.attempts);
    await expect.poll(async () => (await attempts()).length).toBeGreaterThan(0);
    clock.advance(8000);
    await here.settled(1);
    expect(here.host.comments).toHaveLength(1);
    expect(await here.notificationNow()).not.toHaveProperty('disabled');
  });
});
