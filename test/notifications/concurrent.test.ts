/** Concurrent deliveries of one notification, and the limit on the concurrent calls for one organization. */

import { describe, expect, test } from 'vitest';
import type { QueuedMessage } from '#shared/engine/outbox/message-queue.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { CallSlots } from '#shared/fair-shares/call-slots.ts';
import { notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { notificationTargets } from '#shared/model/events/notification-target.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import { deliverNotification, NOTIFICATION_CAPS } from '#shared/notifications/delivery/deliver-notification.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { WEBHOOK_CAPS } from '#shared/webhooks/deliver-with-slot.ts';
import { failed } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents } from '#test/harness/service.ts';
import { ofPull, run, stage, targetsOf } from './stage.ts';

deliverEvents();

describe('Six calls that deliver one event at the same time', () => {
  test('Six concurrent deliveries of one event write one comment and one status, and leave nothing pending', async () => {
    const here = await stage();
    await here.save();
    await run(here, 'build', { retail: { tests: { 'a.spec.ts > a': failed() } } }, ofPull(7));
    const told = await here.settled(2);
    const ended = told.find(({ event }) => event === 'RunEnded');
    if (!ended) throw new Error('No notification about the end of the run was delivered');
    // Resets the delivery, as if nothing had been sent yet.
    const { table } = here.services;
    await table.writeMany((await targetsOf(here)).map((target) => remove(notificationTargets, target)));
    await table.put(notificationDeliveries, { ...ended, status: 'pending', attemptsMade: 0, attempts: [] });
    here.host.comments.length = 0;
    here.host.statuses.length = 0;
    const jobs: QueuedMessage<DeliveryJob>[] = [];
    const queue = { send: async (more: readonly QueuedMessage<DeliveryJob>[]) => void jobs.push(...more) };
    const sender = { ...here.services, privateReceivers: 'machine' as const, queue };
    const { organizationId, hookId, deliveryId } = ended;
    const job = { organizationId, hookId, deliveryId, attempt: 0 };
    await Promise.all(Array.from({ length: 6 }, () => deliverNotification(job, sender)));
    clock.advance(NOTIFICATION_LIMITS.leaseMilliseconds + 1);
    for (const { message } of jobs.splice(0)) await deliverNotification(message, sender);
    expect([here.host.comments.length, here.host.statuses.length]).toEqual([1, 1]);
    expect((await here.deliveries()).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  });
});

describe('The notification sender', () => {
  test('limits the concurrent calls of an organization, and its calls do not count toward the limit of webhooks', async () => {
    const here = await stage();
    const { services, organizationId } = here;
    const { callsPerOrganization } = NOTIFICATION_LIMITS.sending;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const taken: Promise<object | undefined>[] = [];
    const hold = (hookId: string) =>
      new Promise<void>((held) => {
        const act = async () => {
          held();
          await released;
          return {};
        };
        taken.push(new CallSlots(NOTIFICATION_CAPS).withSlot(services, { organizationId, hookId }, act));
      });
    for (let call = 0; call < callsPerOrganization; call += 1) await hold(`notification-${call}`);
    const free = async (slots: CallSlots) =>
      (await slots.withSlot(services, { organizationId, hookId: 'other' }, async () => ({}))) !== undefined;
    expect(await free(new CallSlots(NOTIFICATION_CAPS))).toBe(false);
    expect(await free(new CallSlots(WEBHOOK_CAPS))).toBe(true);
    release();
    await Promise.all(taken);
    expect(await free(new CallSlots(NOTIFICATION_CAPS))).toBe(true);
  });
});
