import { redirect } from '#shared/engine/http/content.ts';
import { webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { requireVisitedWebhook } from '#shared/pages/settings/webhook-of-visit.ts';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { deleteWebhook } from '#shared/webhooks/change-webhook.ts';

export const handler = form({
  operationId: 'submitDeleteWebhook',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/delete',
  needs: 'webhooks:write',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [webhooks, webhooksOfProject, projects, auditRecords], artifacts: 'none' },
  page: 'showDeleteWebhook',
  async submit({ visit, path: { hookId } }, services) {
    await deleteWebhook(services, await requireVisitedWebhook(services, visit, hookId));
    return redirect(linkToWebhooks(visit));
  },
});
