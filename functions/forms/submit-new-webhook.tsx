import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { WEBHOOK_FIELDS } from '#shared/pages/settings/webhook-fields.ts';
import { WebhookSecretPage } from '#shared/pages/settings/webhook-secret-page.tsx';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { createWebhook } from '#shared/webhooks/create-webhook.ts';
import { parseHeaderLines } from '#shared/webhooks/header-lines.ts';

export const handler = form({
  operationId: 'submitNewWebhook',
  route: 'POST /{organizationId}/{projectId}/webhooks/new',
  needs: 'webhooks:write',
  fresh: 'create a webhook',
  access: {
    table: 'readWrite',
    writes: [webhooks, webhooksOfProject, projects, auditRecords, submittedForms],
    artifacts: 'none',
  },
  fields: z.object({ formId: id, ...WEBHOOK_FIELDS, signed: z.string().optional() }),
  page: 'showNewWebhook',
  async submit({ visit, caller, fields: { formId, ...fields } }, services) {
    const input = { ...fields, headers: parseHeaderLines(fields.headers), signed: fields.signed === 'true' };
    const webhook = await createWebhook(services, { ...caller, formId, input });
    const { hookId, signingSecret: secret } = webhook;
    if (secret === undefined) return redirect(linkToWebhooks(visit, hookId));
    const title = 'The webhook was created';
    return {
      title,
      tab: 'Settings',
      hasSecret: true,
      body: <WebhookSecretPage {...{ visit, title, hookId, secret }} />,
    };
  },
});
