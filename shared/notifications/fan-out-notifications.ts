import type { GroupEvent } from '#shared/model/events/domain-event.ts';
import { isOfHost, listNotificationKeys, type Notification, notifications } from '#shared/model/events/notification.ts';
import {
  deriveNotificationDeliveryId,
  type NotificationDelivery,
  notificationDeliveries,
} from '#shared/model/events/notification-delivery.ts';
import { type JobServices, newDelivery, queueDeliveries } from '#shared/sending/queue-deliveries.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';

/**
 * Creates the deliveries of an event and queues them. Idempotent. Events of other groups of the same run do not create
 * or queue another delivery.
 */
export async function fanOutNotifications(event: GroupEvent, services: JobServices): Promise<readonly object[]> {
  const { table, now } = services;
  const found = await table.getMany(notifications, listNotificationKeys(event), { consistent: true });
  const wanted = found.flatMap((notification) =>
    notification && tellsAbout(notification, event) ? [deliveryOf(notification, event, now())] : [],
  );
  if (wanted.length === 0) return [];
  const isOwn = ({ groupId }: NotificationDelivery) => groupId === event.groupId;
  const jobs = await queueDeliveries(services, notificationDeliveries, wanted, isOwn);
  return [{ runId: event.runId, group: event.groupId, event: event.type, notifications: jobs }];
}

/** Channels hear of a run that ends again only if its verdict has changed. Statuses and comments are always updated. */
function tellsAbout(notification: Notification, event: GroupEvent): boolean {
  if (notification.disabled) return false;
  const { type } = event;
  if (!isOfHost(notification)) return event.type === 'RunEnded' && event.sameVerdict !== true;
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
    deliveryId: deriveNotificationDeliveryId(hookId, event),
    event: type,
    test: false,
    ...newDelivery(now, NOTIFICATION_LIMITS.deliveryDays),
  };
}
