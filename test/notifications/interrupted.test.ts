/**
 * Interrupts the sender of notifications at each of its database writes. The sender sends its requests to code hosts
 * and Slack between these writes.
 */
import { describe, expect, test } from 'vitest';
import type { QueuedMessage } from '#shared/engine/outbox/message-queue.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { CallSlots } from '#shared/fair-shares/call-slots.ts';
import { runWithSlot } from '#shared/fair-shares/with-slot.ts';
import { deriveNotificationId, HOST_KINDS } from '#shared/model/events/notification.ts';
import {
  getNotificationDeliveriesSpan,
  type NotificationDelivery,
  notificationDeliveries,
} from '#shared/model/events/notification-delivery.ts';
import { notificationTargets } from '#shared/model/events/notification-target.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import {
  deliverNotification,
  NOTIFICATION_CAPS,
  type NotificationSender,
} from '#shared/notifications/delivery/deliver-notification.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { failed } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents } from '#test/harness/service.ts';
import { slackStandIn } from '#test/harness/slack.ts';
import { run, type Stage, stage, targetsOf } from './stage.ts';

deliverEvents();

const TESTS = { retail: { tests: { 'a.spec.ts > a': failed() } } };
/** The time after which the slot or the lease of an interrupted call has expired. */
const { leaseMilliseconds } = NOTIFICATION_LIMITS;

/** Runs the sender as the Lambda function does, with a list in place of the queue. */
function senderOf({ services }: Stage) {
  const jobs: QueuedMessage<DeliveryJob>[] = [];
  const queue = { send: async (more: readonly QueuedMessage<DeliveryJob>[]) => void jobs.push(...more) };
  const sender: NotificationSender = { ...services, privateReceivers: 'machine', queue };
  const send = (job: DeliveryJob, on = sender) => {
    const slots = new CallSlots(NOTIFICATION_CAPS);
    return runWithSlot({ ...on, slots }, job, { ...job, rounds: 0 }, () => deliverNotification(job, on));
  };
  /**
   * Delivers the job of an interrupted call again, as the queue does, and then the follow-up jobs that are queued
   * meanwhile.
   */
  const sendAgain = async (job: DeliveryJob) => {
    jobs.splice(0);
    clock.advance(leaseMilliseconds + 1);
    await send(job);
    for (let next = jobs.shift(); next; next = jobs.shift()) {
      clock.advance(1000 * (next.delaySeconds ?? 0));
      await send(next.message);
    }
  };
  return { sender, send, sendAgain };
}

/**
 * Resets and repeats the delivery, and interrupts the sender at each of its writes in turn. Returns the number of
 * interruptions.
 */
async function diesAtEachWrite(
  here: Stage,
  delivery: NotificationDelivery,
  { forget, check }: { readonly forget: () => void; readonly check: (writes: number) => Promise<void> },
): Promise<number> {
  const { table } = here.services;
  const { sender, send, sendAgain } = senderOf(here);
  const { organizationId, hookId, deliveryId } = delivery;
  const job = { organizationId, hookId, deliveryId, attempt: 0 };
  for (let writes = 0; ; writes += 1) {
    await table.writeMany((await targetsOf(here)).map((target) => remove(notificationTargets, target)));
    await table.put(notificationDeliveries, { ...delivery, status: 'pending', attemptsMade: 0, attempts: [] });
    forget();
    const death = await send(job, dyingAfter(sender, writes)).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (death === undefined) return writes;
    expect(death).toContain('The process has died');
    await sendAgain(job);
    const after = await table.get(notificationDeliveries, delivery, { consistent: true });
    expect({ writes, status: after?.status }).toEqual({ writes, status: 'delivered' });
    await check(writes);
  }
}

describe('A notification sender that is interrupted at any write', () => {
  test.each(HOST_KINDS)('An interrupted sender leaves one comment and the correct status at %s', async (kind) => {
    const here = await stage(kind);
    await here.save();
    await run(here, 'build', TESTS, here.ofPull(7));
    const ended = (await here.settled(2)).find(({ event }) => event === 'RunEnded');
    if (!ended) throw new Error('No notification about the end of the run was delivered');
    const { host } = here;
    let edits = 0;
    const deaths = await diesAtEachWrite(here, ended, {
      forget: () => {
        host.comments.length = 0;
        host.statuses.length = 0;
      },
      check: async (writes) => {
        expect({ writes, comments: host.comments.length }).toEqual({ writes, comments: 1 });
        expect(host.comments[0]?.body).toContain('1 failed of 1');
        expect(host.statuses.length).toBeLessThanOrEqual(2);
        expect(new Set(host.statuses.map(({ state, description }) => `${state} ${description}`))).toEqual(
          new Set([`${kind === 'github' ? 'failure' : 'failed'} 1 failed of 1`]),
        );
        edits += host.comments[0]?.edits ?? 0;
      },
    });
    expect(deaths).toBeGreaterThanOrEqual(10);
    // If the sender was interrupted before it recorded the host's response, it later found the comment and edited it.
    expect(edits).toBeGreaterThan(0);
  });

  test('An interrupted sender always sends its message to Slack, and sends it twice only if it is interrupted at one particular write', async () => {
    const here = await stage();
    const slack = await slackStandIn();
    const settings = { kind: 'slack', runs: 'all', credential: slack.address } as const;
    await saveNotification(here.services, { ...here.request, settings });
    const key = { organizationId: here.organizationId, hookId: deriveNotificationId(here.projectId, 'slack') };
    const told = () =>
      here.services.table.queryAll(notificationDeliveries, getNotificationDeliveriesSpan(key), { consistent: true });
    await run(here, 'build', TESTS);
    await expect.poll(async () => (await told()).map(({ status }) => status)).toEqual(['delivered']);
    const [delivery] = await told();
    if (!delivery) throw new Error('No notification about the end of the run was delivered');
    let before = 0;
    const counts: number[] = [];
    const deaths = await diesAtEachWrite(here, delivery, {
      forget: () => {
        before = slack.texts().length;
      },
      check: async () => void counts.push(slack.texts().length - before),
    });
    expect(counts).toHaveLength(deaths);
    expect(counts.filter((count) => count !== 1 && count !== 2)).toEqual([]);
    expect(counts.filter((count) => count === 2)).toHaveLength(1);
  });
});
