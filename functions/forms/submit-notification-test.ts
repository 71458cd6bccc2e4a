import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { NOTIFICATION_KINDS, notifications } from '#shared/model/events/notification.ts';
import { notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { sendTestNotification } from '#shared/notifications/change-notification.ts';
import { linkToNotifications } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitNotificationTest',
  route: 'POST /{organizationId}/{projectId}/notifications/{kind}/test',
  needs: 'projects:write',
  notFresh: 'keepsReceivers',
  access: {
    table: 'readWrite',
    writes: [notifications, notificationDeliveries, outbox, auditRecords],
    artifacts: 'none',
  },
  path: { kind: z.enum(NOTIFICATION_KINDS) },
  /**
   * The page has one form per kind of notification. `of` says which form was sent, so that an error message is shown
   * next to that form.
   */
  fields: z.object({ of: z.enum(NOTIFICATION_KINDS) }),
  page: 'showNotifications',
  async submit({ visit, caller, path: { kind } }, services) {
    await sendTestNotification(services, { ...caller, kind });
    return redirect(linkToNotifications(visit));
  },
});
