/**
 * Interrupts deliveries of webhooks and notifications between their writes, and then handles their message again, as
 * after a second delivery by the queue. `npm test` tries only some of the interruptions.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { CallSlots } from '#shared/fair-shares/call-slots.ts';
import { runWithSlot } from '#shared/fair-shares/with-slot.ts';
import type { Delivery } from '#shared/model/events/delivery.ts';
import { deriveNotificationId, type Notification, notifications } from '#shared/model/events/notification.ts';
import { type Webhook, webhooks } from '#shared/model/events/webhook.ts';
import { deliverNotification, NOTIFICATION_CAPS } from '#shared/notifications/delivery/deliver-notification.ts';
import { fanOutNotifications } from '#shared/notifications/fan-out-notifications.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';
import { deliverWithSlot, WEBHOOK_CAPS } from '#shared/webhooks/deliver-with-slot.ts';
import { WEBHOOK_LIMITS } from '#shared/webhooks/limits.ts';
import { sampled } from '#test/harness/cases.ts';
import { reply } from '#test/harness/code-host.ts';
import { interruptions } from '#test/harness/interruptions.ts';
import { answering, receiver } from '#test/harness/receiver.ts';
import { failed } from '#test/harness/recording-messages.ts';
import { clock, FAR_FUTURE } from '#test/harness/service.ts';
import { slackStandIn } from '#test/harness/slack.ts';
import { stage as notificationStage, ofPull, runAtOnce } from '#test/notifications/stage.ts';
import { jobOf, runEvent, stage } from '#test/webhooks/stage.ts';
import { queuedJobs } from './queued-jobs.ts';

beforeEach(() => clock.set(FAR_FUTURE));

/**
 * Properties that may differ after a repeated delivery, because times are later and the fake GitHub gives the comment
 * another number.
 */
const DIFFERING = ['at', 'nextAttemptAt', 'dueAt', 'failingSince', 'pausedUntil', 'expiresAt', 'commentId'];
const NUMBERS = new RegExp(`"(${DIFFERING.join('|')})":\\{"N":"\\d+"\\}`, 'g');

/** Replaces the times and numbers that may differ after a repeated delivery. */
function normal(line: string): string {
  if (line.includes('"pk":{"S":"AUDIT#'))
    return line
      .replaceAll(NUMBERS, '"$1":"differs"')
      .replace(/"auditId":\{"S":"\w+"\}/, '"auditId":"differs"')
      .replace(/"sk":\{"S":"AUDIT#[^"]+"\}/, '"sk":"differs"');
  const due = line.includes('"pk":{"S":"DUE#') ? line.replace(/"sk":\{"S":"[0-9a-v]{9}#/, '"sk":{"S":"time#') : line;
  return due.replaceAll(NUMBERS, '"$1":"differs"');
}

const DAY = 24 * 3600 * 1000;
const FAILING = { failures: 3, failingSince: -1000 };
const PAUSED = { failures: 6, failingSince: -1000, pausedUntil: 0 };

/** The health of a receiver. `failingSince` and `pausedUntil` are relative to the current time. */
interface Health {
  readonly failures?: number;
  readonly failingSince?: number;
  readonly pausedUntil?: number;
  readonly disabled?: Webhook['disabled'];
}

function unhealthy<R extends Webhook | Notification>(
  receiverRow: R,
  { failingSince, pausedUntil, ...rest }: Health,
): R {
  const now = Date.now();
  return {
    ...receiverRow,
    ...rest,
    ...(failingSince === undefined ? {} : { failingSince: now + failingSince }),
    ...(pausedUntil === undefined ? {} : { pausedUntil: now + pausedUntil }),
  };
}

interface Case {
  readonly health?: Health;
  readonly made?: Partial<Pick<Delivery, 'attemptsMade' | 'retry'>>;
  readonly statusCode: number;
  readonly writes: number;
  /** The expected health of the receiver at the end, if the case checks it. */
  readonly after?: object;
}

describe('A webhook delivery that is interrupted between its writes', () => {
  test.each(
    sampled<[string, Case]>(
      [
        ['succeeds', { statusCode: 204, writes: 5 }],
        ['succeeds after failures', { statusCode: 204, health: FAILING, writes: 5, after: { failures: 0 } }],
        ['succeeds as a probe', { statusCode: 204, health: PAUSED, writes: 6, after: { failures: 0 } }],
        ['fails', { statusCode: 500, writes: 6, after: { failures: 1 } }],
        [
          'opens the circuit breaker',
          { statusCode: 500, health: { ...FAILING, failures: 4 }, writes: 6, after: { failures: 5 } },
        ],
        ['fails as a probe', { statusCode: 500, health: PAUSED, writes: 7, after: { failures: 7 } }],
        [
          'is due again after hours',
          { statusCode: 500, made: { attemptsMade: 3, retry: 3 }, writes: 5, after: { failures: 1 } },
        ],
        [
          'fails for the last time',
          { statusCode: 500, made: { attemptsMade: 7, retry: 7 }, writes: 5, after: { failures: 1 } },
        ],
        [
          'disables a webhook that failed for days',
          {
            statusCode: 500,
            health: { ...FAILING, failingSince: -6 * DAY },
            writes: 6,
            after: { disabled: { reason: 'failing' } },
          },
        ],
        [
          'disables a webhook that is gone',
          { statusCode: 410, health: FAILING, writes: 5, after: { disabled: { reason: 'gone' } } },
        ],
        [
          'finds its webhook disabled',
          { statusCode: 204, health: { disabled: { at: 1, reason: 'byHand' } }, writes: 5 },
        ],
      ],
      2,
    ),
  )(
    'An interrupted delivery that %s leaves the same data as an uninterrupted one once its message is delivered again',
    async (_, one) => {
      const { statusCode, health = {}, made = {}, writes, after = {} } = one;
      const here = await stage();
      const { url, received } = await receiver(answering(statusCode));
      const webhook = await here.webhook({ url });
      const delivery = await here.delivery(webhook, made);
      await here.services.table.put(webhooks, unhealthy(webhook, health));
      const { queue, listed, forget } = queuedJobs();
      const found = await interruptions({
        environment: here.environment,
        services: { ...here.services, queue },
        handle: async (services) => {
          await deliverWithSlot({ ...jobOf(delivery), rounds: 0 }, { ...services, slots: new CallSlots(WEBHOOK_CAPS) });
          expect(await here.webhookNow(webhook)).toMatchObject(after);
        },
        againAfter: Math.max(SENDING_LIMITS.receiverProbeMilliseconds, WEBHOOK_LIMITS.sending.leaseMilliseconds) + 1,
        outside: {
          seen: () => [...received.map(({ header, body }) => `request ${header('webhook-id')} ${body}`), ...listed()],
          forget: () => {
            received.length = 0;
            forget();
          },
        },
        normal,
      });
      expect(found).toMatchObject({ writes, differing: [] });
    },
  );
});

/**
 * Records a complete run of a pull request, and returns the delivery of the notification about its end, as an argument
 * of `interruptions`.
 */
async function toldAbout(
  here: Awaited<ReturnType<typeof notificationStage>>,
  kind: Notification['kind'],
  health: Health,
) {
  const { table } = here.services;
  const { runId } = await runAtOnce(here, 'build', { 'a.spec.ts > a': failed() }, ofPull(7));
  const { queue, jobs, listed, forget } = queuedJobs();
  await fanOutNotifications(runEvent(here, { runId }), { ...here.services, queue });
  const [job] = jobs.map(({ message }) => message);
  const key = { organizationId: here.organizationId, hookId: deriveNotificationId(here.projectId, kind) };
  const notification = await table.get(notifications, key, { consistent: true });
  if (!job || !notification) throw new Error('No notification about the end of the run was queued');
  await table.put(notifications, unhealthy(notification, health));
  const services = { ...here.services, privateReceivers: 'machine' as const, queue };
  return {
    environment: here.environment,
    services,
    handle: (on: typeof services) =>
      runWithSlot({ ...on, slots: new CallSlots(NOTIFICATION_CAPS) }, job, { ...job, rounds: 0 }, () =>
        deliverNotification(job, on),
      ),
    againAfter: NOTIFICATION_LIMITS.leaseMilliseconds + 1,
    normal,
    listed,
    forget,
    notificationNow: () => table.get(notifications, key, { consistent: true }),
  };
}

interface NotificationCase {
  readonly health?: Health;
  /** The status of the receiver's response. By default, the receiver responds with success. */
  readonly answer?: number;
  readonly writes: number;
  readonly after: object;
}

describe('A notification that is interrupted between its writes', () => {
  test.each(
    sampled<[string, NotificationCase]>(
      [
        ['succeeds after failures', { health: FAILING, writes: 11, after: { failures: 0 } }],
        ['succeeds as a probe', { health: PAUSED, writes: 12, after: { failures: 0 } }],
        ['fails', { answer: 500, writes: 8, after: { failures: 1 } }],
        ['fails as a probe', { answer: 500, health: PAUSED, writes: 9, after: { failures: 7 } }],
        ['meets a rate limit', { answer: 429, writes: 8, after: { failures: 1, pausedUntil: expect.any(Number) } }],
        ['is refused', { answer: 401, writes: 7, after: { disabled: { reason: 'refused' } } }],
      ],
      2,
    ),
  )(
    'An interrupted notification that %s at GitHub leaves the same data as an uninterrupted one once its message is delivered again',
    async (_, one) => {
      const { answer, health = {}, writes, after } = one;
      const here = await notificationStage();
      await here.save();
      const { host: github } = here;
      const work = await toldAbout(here, 'github', health);
      if (answer)
        github.trouble = (response) => {
          reply(response, answer, { message: 'No' }, answer === 429 ? { 'Retry-After': '60' } : {});
          return true;
        };
      const found = await interruptions({
        ...work,
        outside: {
          seen: () => [
            ...github.statuses.map((status) => `status ${JSON.stringify(status)}`),
            ...github.comments.map(({ issue, body }) => `comment ${issue} ${body}`),
            ...work.listed(),
          ],
          forget: () => {
            github.statuses.length = 0;
            github.comments.length = 0;
            work.forget();
          },
        },
        handle: async (services) => {
          await work.handle(services);
          expect(await work.notificationNow()).toMatchObject(after);
        },
      });
      expect(found).toMatchObject({ writes, differing: [] });
      expect(found.repeated.filter((seen) => seen.startsWith('comment'))).toEqual([]);
    },
  );

  test.each(
    sampled<[string, NotificationCase]>(
      [
        ['succeeds after failures', { health: FAILING, writes: 5, after: { failures: 0 } }],
        ['fails', { answer: 500, writes: 6, after: { failures: 1 } }],
        ['is refused', { answer: 404, writes: 5, after: { disabled: { reason: 'refused' } } }],
      ],
      2,
    ),
  )(
    'An interrupted notification that %s at Slack leaves the same data as an uninterrupted one once its message is delivered again',
    async (_, one) => {
      const { answer, health = {}, writes, after } = one;
      const here = await notificationStage();
      const slack = await slackStandIn();
      const settings = { kind: 'slack', runs: 'all', credential: slack.address } as const;
      await saveNotification(here.services, { ...here.request, settings });
      const work = await toldAbout(here, 'slack', health);
      let before = 0;
      const found = await interruptions({
        ...work,
        outside: {
          seen: () => [
            ...slack
              .texts()
              .slice(before)
              .map((text) => `message ${text}`),
            ...work.listed(),
          ],
          forget: () => {
            before = slack.texts().length;
            work.forget();
          },
        },
        handle: async (services) => {
          if (answer) slack.answerWith({ status: answer, text: 'no_service' });
          await work.handle(services);
          expect(await work.notificationNow()).toMatchObject(after);
        },
      });
      expect(found).toMatchObject({ writes, differing: [] });
    },
  );
});
