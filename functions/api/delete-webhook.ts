import { ok, single } from '#shared/engine/http/envelope.ts';
import { auditRecords } from '#shared/model/audit-record.ts';
import { id } from '#shared/model/names.ts';
import { projects } from '#shared/model/project.ts';
import { webhooks, webhooksOfProject } from '#shared/model/webhook.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { deleteWebhook } from '#shared/webhooks/delete-webhook.ts';
import { OnlyId } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'deleteWebhook',
  route: 'DELETE /webhooks/{hookId}',
  permission: 'webhooks:write',
  access: { table: 'readWrite', writes: [webhooks, webhooksOfProject, projects, auditRecords], artifacts: 'none' },
  summary: 'Delete a webhook',
  path: { hookId: id },
  response: single(OnlyId),
  refuses: ['notFound', 'conflict'],
  async handle({ actor, path }, services) {
    const { organizationId } = actor;
    return ok({ data: await deleteWebhook(services, { organizationId, ...path, actor }) });
  },
});
