/** Reads the notifications of a project, each with its newest delivery, but never their credentials. */
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
  const results = await table.getMany(notifications, listNotificationKeys(request), { consistent: true });
  const projectNotifications = results.flatMap((notification) => notification ?? []);
  return Promise.all(
    projectNotifications.map(async (notification) => {
      const options = { limit: 1, newestFirst: true, consistent: true };
      const { rows } = await table.query(notificationDeliveries, getNotificationDeliveriesSpan(notification), options);
      return { notification, last: rows[0]?.item };
    }),
  );
}
