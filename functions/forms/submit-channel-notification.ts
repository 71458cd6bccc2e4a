import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { CHANNEL_KINDS, notifications } from '#shared/model/events/notification.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { CHANNEL_FIELDS, toChannelSettings } from '#shared/pages/settings/notification-wire.ts';
import { linkToNotifications } from '#shared/pages/shell/hrefs.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { form } from '#shared/platform/page.ts';

const secrets = connectSecrets();

export const handler = form({
  operationId: 'submitChannelNotification',
  route: 'POST /{organizationId}/{projectId}/notifications/{kind}/channel',
  needs: 'projects:write',
  fresh: 'send results to a channel',
  access: { table: 'readWrite', writes: [notifications, auditRecords], artifacts: 'none', secrets: 'write' },
  path: { kind: z.enum(CHANNEL_KINDS) },
  fields: z.object(CHANNEL_FIELDS),
  page: 'showNotifications',
  async submit({ visit, caller, path: { kind }, fields }, services) {
    const settings = toChannelSettings(kind, fields);
    await saveNotification({ ...services, secrets: secrets() }, { ...caller, settings });
    return redirect(linkToNotifications(visit));
  },
});
