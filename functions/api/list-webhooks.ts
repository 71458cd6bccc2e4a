import * as z from 'zod';
import { listOf, ok } from '#shared/engine/http/envelope.ts';
import { id } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { listWebhooks } from '#shared/webhooks/find-webhook.ts';
import { Webhook } from '#shared/webhooks/webhook-wire.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'listWebhooks',
  route: 'GET /webhooks',
  permission: 'webhooks:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the webhooks of a project, newest first',
  query: z.object({ projectId: id.meta({ description: 'Id of a project' }) }),
  response: listOf(Webhook),
  refuses: ['notFound'],
  async handle({ actor: { organizationId }, query: { projectId } }, services) {
    return ok({ data: await listWebhooks(services, { organizationId, projectId }) });
  },
});
