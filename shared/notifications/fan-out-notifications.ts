import type { GroupEvent } from '#shared/model/events/domain-event.ts';
import { isOfHost, listNotificationKeys, type Notification, notifications } from '#shared/model/events/notification.ts';
import {
  deriveNotificationDeliveryId,
  type NotificationDelivery,
  notificationDeliveries,
} from '#shared/model/events/notification-delivery.ts';
import { matchesBranch } from '#shared/results/branch-filter.ts';
import { type JobServices, makeDeliveryState, queueDeliveries } from '#shared/sending/queue-deliveries.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';

/**
 * A repeated event creates no second delivery, because the id of a delivery is derived from the notification and the run.
 * For the same reason, events of other groups of the run create or queue none.
 */
export async function fanOutNotifications(event: GroupEvent, services: JobServices): Promise<readonly object[]> {
  const { table, now } = services;
  const candidates = await table.getMany(notifications, listNotificationKeys(event), { consistent: true });
  const newDeliveries = candidates.flatMap((notification) =>
    notification && shouldNotify(notification, event) ? [makeDelivery(notification, event, now())] : [],
  );
  if (newDeliveries.length === 0) return [];
  const isOwn = ({ groupId }: NotificationDelivery) => groupId === event.groupId;
  const jobs = await queueDeliveries(services, notificationDeliveries, newDeliveries, isOwn);
  return [{ runId: event.runId, group: event.groupId, event: event.type, notifications: jobs }];
}

/**
 * Channels hear only of their branches, and of a run that ends again only if its verdict has changed. Statuses and
 * comments are always updated.
 */
function shouldNotify(notification: Notification, event: GroupEvent): boolean {
  if (notification.disabled) return false;
  const { type } = event;
  if (!isOfHost(notification)) {
    const { branches } = notification;
    const isOfBranch = branches === undefined || matchesBranch(branches, event.commit.branch);
    return isOfBranch && event.type === 'RunEnded' && event.sameVerdict !== true;
  }
  return notification.sendsStatus || (notification.comments && type === 'RunEnded');
}

function makeDelivery({ hookId }: Notification, event: GroupEvent, now: number): NotificationDelivery {
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
    ...makeDeliveryState(now, NOTIFICATION_LIMITS.deliveryDays),
  };
}
