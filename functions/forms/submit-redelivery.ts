import { redirect } from '#shared/engine/http/content.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { requireVisitedWebhook } from '#shared/pages/settings/webhook-of-visit.ts';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { redeliver } from '#shared/webhooks/redeliver.ts';

export const handler = form({
  operationId: 'submitRedelivery',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/deliveries/{deliveryId}/redeliver',
  needs: 'webhooks:write',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [webhooks, deliveries, outbox, auditRecords], artifacts: 'none' },
  page: 'showWebhook',
  async submit({ visit, path: { hookId, deliveryId } }, services) {
    await redeliver(services, { ...(await requireVisitedWebhook(services, visit, hookId)), deliveryId });
    return redirect(linkToWebhooks(visit, hookId));
  },
});
