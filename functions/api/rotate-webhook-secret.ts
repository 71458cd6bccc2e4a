import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { rotateSecret } from '#shared/webhooks/rotate-secret.ts';
import { RotatedSecret } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'rotateWebhookSecret',
  route: 'POST /webhooks/{hookId}/secret',
  permission: 'webhooks:write',
  access: { table: 'readWrite', writes: [webhooks, auditRecords], artifacts: 'none' },
  summary: 'Rotate the signing secret of a webhook',
  description: 'For 24 hours, requests are signed with both the old and the new secret.',
  response: single(RotatedSecret),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, path }, services) {
    return wrapData(await rotateSecret(services, { ...caller, ...path }));
  },
});
