/**
 * Reads the notifications of a project, each with its newest delivery. The credentials of the notifications are never
 * read.
 */
import { findProject } from '#shared/find-project.ts';
import { listNotificationKeys, type Notification, notifications } from '#shared/model/events/notification.ts';
import {
  getNotificationDeliveriesSpan,
  type NotificationDelivery,
  notificationDeliveries,
} from '#shared/model/events/notification-delivery.ts';
import type { ProjectRequest } from '#shared/organizations/project-settings.ts';
import { authorizeRead } from '#shared/organizations/standing.ts';
import type { CoreServices } from '#shared/services.ts';

export interface ListedNotification {
  readonly notification: Notification;
  /** The newest delivery, or `undefined` if there has been none. */
  readonly last: NotificationDelivery | undefined;
}

/** Throws 404 if the organization has no such project. */
export async function listNotifications(
  services: CoreServices,
  request: ProjectRequest,
): Promise<ListedNotification[]> {
  const { table } = services;
  await authorizeRead(services, request, 'projects:write');
  await findProject(services, request);
  const found = await table.getMany(notifications, listNotificationKeys(request), { consistent: true });
  const known = found.flatMap((notification) => notification ?? []);
  return Promise.all(
    known.map(async (notification) => {
      const newest = { limit: 1, newestFirst: true, consistent: true };
      const { rows } = await table.query(notificationDeliveries, getNotificationDeliveriesSpan(notification), newest);
      return { notification, last: rows[0]?.item };
    }),
  );
}
