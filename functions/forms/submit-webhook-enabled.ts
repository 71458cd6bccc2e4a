import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { requireVisitedWebhook } from '#shared/pages/settings/webhook-of-visit.ts';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { updateWebhook } from '#shared/webhooks/update-webhook.ts';

export const handler = form({
  operationId: 'submitWebhookEnabled',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/enabled',
  needs: 'webhooks:write',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [webhooks, deliveries, outbox, auditRecords], artifacts: 'none' },
  fields: z.object({ enabled: z.enum(['true', 'false']) }),
  page: 'showWebhook',
  async submit({ visit, path: { hookId }, fields: { enabled } }, services) {
    const ref = await requireVisitedWebhook(services, visit, hookId);
    await updateWebhook(services, { ...ref, input: { enabled: enabled === 'true' } });
    return redirect(linkToWebhooks(visit, hookId));
  },
});
