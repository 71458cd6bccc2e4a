/** Receivers that accept a connection but never complete a response. Each test waits once for the real timeout. */
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { deriveNotificationId, type NotificationKind } from '#shared/model/events/notification.ts';
import { getNotificationDeliveriesSpan, notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';
import { troubleFor } from '#test/harness/code-host.ts';
import { failed } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents } from '#test/harness/service.ts';
import { type SlackStandIn, slackStandIn } from '#test/harness/slack.ts';
import { runAtOnce, type Stage, stage } from './stage.ts';

deliverEvents();

const DRIP_MILLISECONDS = 400;
const TESTS = { 'a.spec.ts > a': failed() };

function drip(response: ServerResponse, write: () => unknown): void {
  const dripping = setInterval(write, DRIP_MILLISECONDS);
  response.on('close', () => clearInterval(dripping));
}

type Slow = (response: ServerResponse) => void;
const SLOW: readonly (readonly [string, Slow])[] = [
  ['never answers', () => undefined],
  [
    'sends its answer byte by byte',
    (response) => {
      response.writeHead(201, { 'Content-Type': 'application/json' });
      drip(response, () => response.write(' '));
    },
  ],
  [
    'sends its headers byte by byte',
    (response) => {
      response.socket?.write('HTTP/1.1 201 Created\r\n');
      drip(response, () => response.socket?.write('X-A: a\r\n'));
    },
  ],
];

const deliveriesTo = ({ services, organizationId, projectId }: Stage, kind: NotificationKind) => {
  const key = { organizationId, hookId: deriveNotificationId(projectId, kind) };
  return services.table.queryAll(notificationDeliveries, getNotificationDeliveriesSpan(key), { consistent: true });
};

/** Waits until the first attempt has ended, and returns its error. */
async function firstError(here: Stage, kind: NotificationKind): Promise<string | null | undefined> {
  const attempts = async () => (await deliveriesTo(here, kind)).flatMap((delivery) => delivery.attempts);
  await expect.poll(async () => (await attempts()).length).toBeGreaterThan(0);
  return (await attempts())[0]?.error;
}

/** Tries the slow receivers concurrently, so that the test waits only once. */
async function eachAtOnce<Kind extends NotificationKind>(
  kindAt: (at: number) => Kind,
  begin: (act: Slow, kind: Kind) => Promise<Stage>,
): Promise<Stage[]> {
  const before = performance.now();
  const stages = await Promise.all(SLOW.map(async ([, act], at) => begin(act, kindAt(at))));
  for (const [at, here] of stages.entries())
    expect([SLOW[at]?.[0], await firstError(here, kindAt(at))]).toEqual([
      SLOW[at]?.[0],
      expect.stringContaining(TOO_SLOW),
    ]);
  expect(performance.now() - before).toBeGreaterThan(SENDING_LIMITS.deliveryMilliseconds - 1000);
  clock.advance(8000);
  for (const [at, here] of stages.entries()) {
    const states = async () => (await deliveriesTo(here, kindAt(at))).map(({ status }) => status);
    await expect.poll(states).toEqual(['delivered']);
  }
  return stages;
}

const TOO_SLOW = 'within 10 seconds';

describe('A notification whose receiver needs over ten seconds', () => {
  test('A notification to GitHub or GitLab stays enabled if the host was too slow, and the next attempt writes one comment', async () => {
    const hostAt = (at: number) => (at === 0 ? 'github' : 'gitlab');
    const stages = await eachAtOnce(hostAt, async (act, kind) => {
      const here = await stage(kind);
      await here.save({ sendsStatus: false });
      troubleFor(here.host, 1, act);
      await runAtOnce(here, 'build', TESTS, here.ofPull(7));
      return here;
    });
    for (const { host, notificationNow } of stages) {
      expect(host.comments.map(({ issue }) => issue)).toEqual(['7']);
      expect(await notificationNow()).not.toHaveProperty('disabled');
    }
  });

  test('A notification to Slack sends its message in the next attempt if Slack was too slow', async () => {
    const slacks: SlackStandIn[] = [];
    const toSlack = () => 'slack' as const;
    await eachAtOnce(toSlack, async (act) => {
      const here = await stage();
      const slack = await slackStandIn();
      slacks.push(slack);
      slack.actOnce(act);
      const settings = { kind: 'slack', runs: 'all', credential: slack.address } as const;
      await saveNotification(here.services, { ...here.request, settings });
      await runAtOnce(here, 'build', TESTS);
      return here;
    });
    expect(slacks.map((slack) => slack.texts().length)).toEqual([1, 1, 1]);
  });
});
