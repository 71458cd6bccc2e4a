/** Creates the deliveries of an event: one for each notification of the project that reports events of this type. */
import { ABSENT } from '#shared/engine/table/writes.ts';
import type { GroupEvent } from '#shared/model/events/domain-event.ts';
import { isOfHost, type Notification, notificationKeys, notifications } from '#shared/model/events/notification.ts';
import {
  type NotificationDelivery,
  notificationDeliveries,
  notificationDeliveryIdOf,
} from '#shared/model/events/notification-delivery.ts';
import type { JobServices } from '#shared/sending/run-job.ts';
import type { WithClock } from '#shared/services.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';

type FanningOut = WithClock & { readonly queue: JobServices['queue'] };

const DAY_SECONDS = 24 * 3600;

/** TTL of a delivery in epoch seconds. */
export const notificationExpiry = (milliseconds: number): number =>
  Math.floor(milliseconds / 1000) + NOTIFICATION_LIMITS.deliveryDays * DAY_SECONDS;

/**
 * Creates the deliveries of an event and queues them. Idempotent. If the event that created a delivery arrives again
 * before the first attempt, the delivery is queued again, because its job may have been lost. Events of other groups of
 * the same run do not create or queue another delivery.
 */
export async function fanOutNotifications(event: GroupEvent, services: FanningOut): Promise<readonly object[]> {
  const { table, now, queue } = services;
  const found = await table.getMany(notifications, notificationKeys(event), { consistent: true });
  const wanted = found.flatMap((notification) =>
    notification && tellsAbout(notification, event) ? [notification] : [],
  );
  if (wanted.length === 0) return [];
  const outcomes = await Promise.all(
    wanted.map((notification) => table.put(notificationDeliveries, deliveryOf(notification, event, now()), ABSENT)),
  );
  const jobs = outcomes
    .flatMap((outcome) => (outcome.done ? outcome.item : (outcome.existing ?? [])))
    .filter(({ status, attemptsMade, groupId }) => {
      return status === 'pending' && attemptsMade === 0 && groupId === event.groupId;
    })
    .map(({ organizationId, hookId, deliveryId }) => ({ message: { organizationId, hookId, deliveryId, attempt: 0 } }));
  await queue.send(jobs);
  return [{ runId: event.runId, group: event.groupId, event: event.type, notifications: jobs.length }];
}

function tellsAbout(notification: Notification, { type }: GroupEvent): boolean {
  if (notification.disabled) return false;
  if (!isOfHost(notification)) return type === 'RunEnded';
  return notification.sendsStatus || (notification.comments && type === 'RunEnded');
}

function deliveryOf({ hookId }: Notification, event: GroupEvent, now: number): NotificationDelivery {
  const { organizationId, projectId, runId, groupId, type } = event;
  return {
    organizationId,
    projectId,
    hookId,
    runId,
    groupId,
    deliveryId: notificationDeliveryIdOf(hookId, event),
    event: type,
    test: false,
    status: 'pending',
    attemptsMade: 0,
    retry: 0,
    attempts: [],
    createdAt: now,
    expiresAt: notificationExpiry(now),
  };
}
