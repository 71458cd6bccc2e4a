import * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { NOTIFICATION_KINDS } from '#shared/model/events/notification.ts';
import { getKindName } from '#shared/notifications/channels.ts';
import { listNotifications } from '#shared/notifications/find-notifications.ts';
import { makeNotificationBreadcrumbs } from '#shared/pages/settings/notifications-page.tsx';
import { linkToNotifications } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showDeleteNotification',
  route: 'GET /{organizationId}/{projectId}/notifications/{kind}/delete',
  needs: 'projects:write',
  access: { table: 'read', artifacts: 'none' },
  path: { kind: z.enum(NOTIFICATION_KINDS) },
  async show({ visit, caller, path: { kind }, refused }, services) {
    const notifications = await listNotifications(services, caller);
    const { notification } =
      notifications.find((one) => one.notification.kind === kind) ?? refuse(notFound('Notification'));
    const name = getKindName(notification.kind);
    return {
      title: `Delete the notification to ${name}`,
      tab: 'Settings',
      breadcrumbs: makeNotificationBreadcrumbs(visit, 'Delete'),
      body: (
        <QuestionPage
          question={`Delete the notification to ${name}?`}
          action={linkToNotifications(visit, notification.kind, 'delete')}
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
