import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { deleteWebhook } from '#shared/webhooks/change-webhook.ts';
import { OnlyId } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'deleteWebhook',
  route: 'DELETE /webhooks/{hookId}',
  permission: 'webhooks:write',
  access: { table: 'readWrite', writes: [webhooks, webhooksOfProject, projects, auditRecords], artifacts: 'none' },
  summary: 'Delete a webhook',
  response: single(OnlyId),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it only when a person asked to delete exactly this webhook. To pause it, use update_webhook with `enabled: false`. Needs `hookId` from list_webhooks.',
    hints: { destructiveHint: true, idempotentHint: true },
  },
  async handle({ caller, path }, services) {
    return wrapData(await deleteWebhook(services, { ...caller, ...path }));
  },
});
