import * as z from 'zod';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenWebhook } from '#shared/mcp/shorter-webhooks.ts';
import { webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { projectId } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { repeatByKey } from '#shared/platform/idempotency-key.ts';
import { createWebhook } from '#shared/webhooks/create-webhook.ts';
import { CreatedWebhook, NewWebhook } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'createWebhook',
  route: 'POST /webhooks',
  permission: 'webhooks:write',
  access: {
    table: 'readWrite',
    writes: [webhooks, webhooksOfProject, projects, auditRecords, submittedForms],
    artifacts: 'none',
  },
  summary: 'Create a webhook',
  query: z.object({ projectId }),
  body: NewWebhook,
  success: 201,
  repeats: repeatByKey,
  response: single(CreatedWebhook),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it to send run events to a URL that a person named. It creates unsigned webhooks only. Needs `projectId` from list_projects.',
    hints: { destructiveHint: false, idempotentHint: false, openWorldHint: true },
    without: { signed: 'The signing secret would end up in the conversation. Create signed webhooks in the dashboard' },
    answer: shortenWebhook,
    next: 'test_webhook with `hookId` sends a test event.',
  },
  async handle({ caller, body }, services) {
    return wrapData(await createWebhook(services, { ...caller, input: body }));
  },
});
