import * as z from 'zod';
import { webhooks } from '#shared/model/events/webhook.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { requireVisitedWebhook } from '#shared/pages/settings/webhook-of-visit.ts';
import { WebhookSecretPage } from '#shared/pages/settings/webhook-secret-page.tsx';
import { form } from '#shared/platform/page.ts';
import { rotateSecret } from '#shared/webhooks/rotate-secret.ts';

export const handler = form({
  operationId: 'submitRotateWebhookSecret',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/secret',
  needs: 'webhooks:write',
  fresh: 'replace the secret of a webhook',
  access: { table: 'readWrite', writes: [webhooks, auditRecords, submittedForms], artifacts: 'none' },
  fields: z.object({ formId: id }),
  page: 'showRotateWebhookSecret',
  async submit({ visit, path: { hookId }, fields: { formId } }, services) {
    const ref = await requireVisitedWebhook(services, visit, hookId);
    const { signingSecret: secret } = await rotateSecret(services, { ...ref, formId });
    const title = 'The signing secret was created';
    return {
      title,
      tab: 'Settings',
      hasSecret: true,
      body: <WebhookSecretPage {...{ visit, title, hookId, secret }} />,
    };
  },
});
