import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { NOTIFICATION_KINDS, notifications } from '#shared/model/events/notification.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { disableNotification, enableNotification } from '#shared/notifications/change-notification.ts';
import { linkToNotifications } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitNotificationEnabled',
  route: 'POST /{organizationId}/{projectId}/notifications/{kind}/enabled',
  needs: 'projects:write',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [notifications, auditRecords], artifacts: 'none' },
  path: { kind: z.enum(NOTIFICATION_KINDS) },
  /**
   * The page has one form per kind of notification. `of` says which form was sent, so that an error message is shown
   * next to that form.
   */
  fields: z.object({ of: z.enum(NOTIFICATION_KINDS), enabled: z.enum(['true', 'false']) }),
  page: 'showNotifications',
  async submit({ visit, caller, path: { kind }, fields: { enabled } }, services) {
    const request = { ...caller, kind };
    await (enabled === 'true' ? enableNotification(services, request) : disableNotification(services, request));
    return redirect(linkToNotifications(visit));
  },
});
