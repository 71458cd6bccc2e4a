import { redirect } from '#shared/engine/http/content.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { requireVisitedWebhook } from '#shared/pages/settings/webhook-of-visit.ts';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { deleteSecret } from '#shared/webhooks/rotate-secret.ts';

export const handler = form({
  operationId: 'submitDeleteWebhookSecret',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/secret/delete',
  needs: 'webhooks:write',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [webhooks, auditRecords], artifacts: 'none' },
  page: 'showDeleteWebhookSecret',
  async submit({ visit, path: { hookId } }, services) {
    await deleteSecret(services, await requireVisitedWebhook(services, visit, hookId));
    return redirect(linkToWebhooks(visit, hookId));
  },
});
