import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { deleteSecret } from '#shared/webhooks/rotate-secret.ts';
import { OnlyId } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'deleteWebhookSecret',
  route: 'DELETE /webhooks/{hookId}/secret',
  permission: 'webhooks:write',
  access: { table: 'readWrite', writes: [webhooks, auditRecords], artifacts: 'none' },
  summary: 'Delete the signing secrets of a webhook',
  response: single(OnlyId),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, path }, services) {
    return wrapData(await deleteSecret(services, { ...caller, ...path }));
  },
});
