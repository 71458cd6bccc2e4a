import * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { redirect } from '#shared/engine/http/content.ts';
import {
  CHANNEL_PLACES,
  getNotificationPlace,
  HOST_KINDS,
  NOTIFICATION_PLACES,
  notifications,
} from '#shared/model/events/notification.ts';
import { notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import {
  deleteNotification,
  disableNotification,
  enableNotification,
  sendTestNotification,
} from '#shared/notifications/change-notification.ts';
import { getPlaceName } from '#shared/notifications/channels.ts';
import { listNotifications } from '#shared/notifications/find-notifications.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import {
  CHANNEL_FIELDS,
  HOST_FIELDS,
  toChannelSettings,
  toHostSettings,
} from '#shared/pages/settings/notification-wire.ts';
import { makeNotificationBreadcrumbs, NotificationsPage } from '#shared/pages/settings/notifications-page.tsx';
import { linkToNotifications } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { connectSecrets } from '#shared/platform/connect.ts';
import { form, page } from '#shared/platform/page.ts';
import { isFreshForForm } from '#shared/sign-in/sessions.ts';

export const showNotifications = page({
  operationId: 'showNotifications',
  route: 'GET /{organizationId}/{projectId}/notifications',
  lambda: 'settings',
  needs: 'projects:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, pathWithQuery, refused }, services) {
    const notifications = await listNotifications(services, caller);
    return {
      title: 'Notifications',
      tab: 'Settings',
      breadcrumbs: makeNotificationBreadcrumbs(visit),
      body: (
        <NotificationsPage
          {...{ visit, listed: notifications, refused }}
          pathWithQuery={pathWithQuery}
          isFresh={isFreshForForm(visit.session, services.now())}
        />
      ),
    };
  },
});

const secrets = connectSecrets();
export const submitChannelNotification = form({
  operationId: 'submitChannelNotification',
  route: 'POST /{organizationId}/{projectId}/notifications/{kind}/channel',
  needs: 'projects:write',
  fresh: 'send results to a channel',
  access: { table: 'readWrite', writes: [notifications, auditRecords], artifacts: 'none', secrets: 'write' },
  path: { kind: z.enum(CHANNEL_PLACES) },
  fields: z.object(CHANNEL_FIELDS),
  page: 'showNotifications',
  async submit({ visit, caller, path: { kind: place }, fields }, services) {
    const settings = toChannelSettings(place, fields);
    const { staysOff } = fields;
    await saveNotification({ ...services, secrets: secrets() }, { ...caller, settings, staysOff });
    return redirect(linkToNotifications(visit));
  },
});

export const submitHostNotification = form({
  operationId: 'submitHostNotification',
  route: 'POST /{organizationId}/{projectId}/notifications/{kind}/host',
  needs: 'projects:write',
  fresh: 'send results to a code host',
  access: { table: 'readWrite', writes: [notifications, auditRecords], artifacts: 'none', secrets: 'write' },
  path: { kind: z.enum(HOST_KINDS) },
  fields: z.object(HOST_FIELDS),
  page: 'showNotifications',
  async submit({ visit, caller, path: { kind }, fields }, services) {
    const settings = toHostSettings(kind, fields);
    const { staysOff } = fields;
    await saveNotification({ ...services, secrets: secrets() }, { ...caller, settings, staysOff });
    return redirect(linkToNotifications(visit));
  },
});

export const submitNotificationEnabled = form({
  operationId: 'submitNotificationEnabled',
  route: 'POST /{organizationId}/{projectId}/notifications/{kind}/enabled',
  needs: 'projects:write',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [notifications, auditRecords], artifacts: 'none' },
  path: { kind: z.enum(NOTIFICATION_PLACES) },
  /**
   * The page has one form per place. `of` says which form was sent, so that an error message is shown
   * next to that form.
   */
  fields: z.object({ of: z.enum(NOTIFICATION_PLACES), enabled: z.enum(['true', 'false']) }),
  page: 'showNotifications',
  async submit({ visit, caller, path: { kind: place }, fields: { enabled } }, services) {
    const request = { ...caller, place };
    await (enabled === 'true' ? enableNotification(services, request) : disableNotification(services, request));
    return redirect(linkToNotifications(visit));
  },
});

export const submitNotificationTest = form({
  operationId: 'submitNotificationTest',
  route: 'POST /{organizationId}/{projectId}/notifications/{kind}/test',
  needs: 'projects:write',
  notFresh: 'keepsReceivers',
  access: {
    table: 'readWrite',
    writes: [notifications, notificationDeliveries, outbox, auditRecords],
    artifacts: 'none',
  },
  path: { kind: z.enum(NOTIFICATION_PLACES) },
  /**
   * The page has one form per place. `of` says which form was sent, so that an error message is shown
   * next to that form.
   */
  fields: z.object({ of: z.enum(NOTIFICATION_PLACES) }),
  page: 'showNotifications',
  async submit({ visit, caller, path: { kind: place } }, services) {
    await sendTestNotification(services, { ...caller, place });
    return redirect(linkToNotifications(visit));
  },
});

export const showDeleteNotification = page({
  operationId: 'showDeleteNotification',
  route: 'GET /{organizationId}/{projectId}/notifications/{kind}/delete',
  lambda: 'settings',
  needs: 'projects:write',
  access: { table: 'read', artifacts: 'none' },
  path: { kind: z.enum(NOTIFICATION_PLACES) },
  async show({ visit, caller, path: { kind: place }, refused }, services) {
    const notifications = await listNotifications(services, caller);
    if (!notifications.some(({ notification }) => getNotificationPlace(notification) === place))
      throw notFound('Notification');
    const name = getPlaceName(place);
    return {
      title: `Delete the notification to ${name}`,
      tab: 'Settings',
      breadcrumbs: makeNotificationBreadcrumbs(visit, 'Delete'),
      body: (
        <QuestionPage
          question={`Delete the notification to ${name}?`}
          action={linkToNotifications(visit, place, 'delete')}
          refused={refused}
          yes="Delete the notification"
          back={linkToNotifications(visit)}
        >
          No more messages will be sent. The credential of this notification will be deleted as well. Existing comments
          on pull requests will not be deleted.
        </QuestionPage>
      ),
    };
  },
});

export const submitDeleteNotification = form({
  operationId: 'submitDeleteNotification',
  route: 'POST /{organizationId}/{projectId}/notifications/{kind}/delete',
  needs: 'projects:write',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [notifications, auditRecords], artifacts: 'none', secrets: 'write' },
  path: { kind: z.enum(NOTIFICATION_PLACES) },
  page: 'showDeleteNotification',
  async submit({ visit, caller, path: { kind: place } }, services) {
    await deleteNotification({ ...services, secrets: secrets() }, { ...caller, place });
    return redirect(linkToNotifications(visit));
  },
});
