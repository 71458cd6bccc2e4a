import * as z from 'zod';
import { listOf, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenWebhooks } from '#shared/mcp/shorter-webhooks.ts';
import { projectId } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { listWebhooks } from '#shared/webhooks/find-webhook.ts';
import { WebhookWire } from '#shared/webhooks/webhook-wire.ts';

/** §4.4.4 */
export const handler = endpoint({
  operationId: 'listWebhooks',
  route: 'GET /webhooks',
  permission: 'webhooks:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the webhooks of a project, newest first',
  query: z.object({ projectId }),
  response: listOf(WebhookWire),
  refuses: ['notFound'],
  tool: {
    description:
      'Use it to see the URLs and events of webhooks, and to get the `hookId` that other tools need. Header values are hidden. Needs `projectId` from list_projects.',
    answer: shortenWebhooks,
    next: 'list_deliveries with `hookId` for sent events and errors.',
  },
  async handle({ caller }, services) {
    return wrapData(await listWebhooks(services, caller));
  },
});
