import { redirect } from '#shared/engine/http/content.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { requireVisitedWebhook } from '#shared/pages/settings/webhook-of-visit.ts';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { sendTestEvent } from '#shared/webhooks/test-event.ts';

export const handler = form({
  operationId: 'submitWebhookTest',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/test',
  needs: 'webhooks:write',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [webhooks, deliveries, outbox, auditRecords], artifacts: 'none' },
  page: 'showWebhook',
  async submit({ visit, path: { hookId } }, services) {
    await sendTestEvent(services, await requireVisitedWebhook(services, visit, hookId));
    return redirect(linkToWebhooks(visit, hookId));
  },
});
