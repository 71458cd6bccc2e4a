import * as z from 'zod';
import { nameOfCaller } from '#shared/credentials/caller.ts';
import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { id } from '#shared/resources/names.ts';
import { createWebhook } from '#shared/webhooks/create-webhook.ts';
import { CreatedWebhook, NewWebhook } from '#shared/webhooks/webhook-wire.ts';

/** §6 */
export const handler = endpoint({
  operationId: 'createWebhook',
  route: 'POST /webhooks',
  permission: 'webhooks:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Send the events of a project somewhere',
  query: z.object({ projectId: id.meta({ description: 'Id of a project' }) }),
  body: NewWebhook,
  success: 201,
  response: single(CreatedWebhook),
  async handle({ caller, query: { projectId }, body }, services) {
    const { organizationId } = caller;
    const wish = { organizationId, projectId, actor: nameOfCaller(caller), wish: body };
    return ok({ data: await createWebhook(services, wish) });
  },
});
