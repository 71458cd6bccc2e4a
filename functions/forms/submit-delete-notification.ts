import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { NOTIFICATION_KINDS, notifications } from '#shared/model/events/notification.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { deleteNotification } from '#shared/notifications/change-notification.ts';
import { linkToNotifications } from '#shared/pages/shell/hrefs.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { form } from '#shared/platform/page.ts';

const secrets = connectSecrets();

export const handler = form({
  operationId: 'submitDeleteNotification',
  route: 'POST /{organizationId}/{projectId}/notifications/{kind}/delete',
  needs: 'projects:write',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [notifications, auditRecords], artifacts: 'none', secrets: 'write' },
  path: { kind: z.enum(NOTIFICATION_KINDS) },
  page: 'showDeleteNotification',
  async submit({ visit, caller, path: { kind } }, services) {
    await deleteNotification({ ...services, secrets: secrets() }, { ...caller, kind });
    return redirect(linkToNotifications(visit));
  },
});
