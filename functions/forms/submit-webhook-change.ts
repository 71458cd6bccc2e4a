import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { WEBHOOK_FIELDS } from '#shared/pages/settings/webhook-fields.ts';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { getProjectWebhook } from '#shared/webhooks/find-webhook.ts';
import { formatHeaderLines, parseHeaderLines } from '#shared/webhooks/header-lines.ts';
import { updateWebhook } from '#shared/webhooks/update-webhook.ts';

export const handler = form({
  operationId: 'submitWebhookChange',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/edit',
  needs: 'webhooks:write',
  fresh: 'change a webhook',
  access: { table: 'readWrite', writes: [webhooks, deliveries, outbox, auditRecords], artifacts: 'none' },
  fields: z.object(WEBHOOK_FIELDS),
  page: 'showEditWebhook',
  async submit({ visit, caller, path: { hookId }, fields }, services) {
    const { headers: storedHeaders } = await getProjectWebhook(services, { ...caller, hookId });
    const headers = parseHeaderLines(fields.headers);
    // Equal headers may be spelled differently in the form and in the stored webhook, so compare the normalized lines.
    const isSame = formatHeaderLines(headers) === formatHeaderLines(storedHeaders);
    const input = { ...fields, headers: isSame ? undefined : headers };
    await updateWebhook(services, { ...caller, hookId, input });
    return redirect(linkToWebhooks(visit, hookId));
  },
});
