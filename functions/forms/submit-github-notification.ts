import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { notifications } from '#shared/model/events/notification.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { saveNotification } from '#shared/notifications/save-notification.ts';
import { GITHUB_FIELDS, githubEntered } from '#shared/pages/settings/notification-wire.ts';
import { notificationsHref } from '#shared/pages/shell/hrefs.ts';
import { connectSecrets } from '#shared/platform/connect.ts';
import { form } from '#shared/platform/page.ts';

const secrets = connectSecrets();

export const handler = form({
  operationId: 'submitGithubNotification',
  route: 'POST /{organizationId}/{projectId}/notifications/save/github',
  needs: 'projects:write',
  access: { table: 'readWrite', writes: [notifications, auditRecords], artifacts: 'none', secrets: 'write' },
  fields: z.object(GITHUB_FIELDS),
  page: 'showNotifications',
  async submit({ visit, fields }, services) {
    const { organizationId, projectId, person: actor } = visit;
    const settings = githubEntered(fields);
    await saveNotification({ ...services, secrets: secrets() }, { organizationId, projectId, actor, settings });
    return redirect(notificationsHref(visit));
  },
});
