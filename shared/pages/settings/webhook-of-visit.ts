/** Checks the webhook whose id is in the URL of a page or form. */
import type { WithTable } from '#shared/engine/table/table.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import type { WebhookRef } from '#shared/webhooks/change-webhook.ts';
import { getProjectWebhook } from '#shared/webhooks/find-webhook.ts';

/** Returns the arguments for changing the webhook. Throws 404 if it does not exist or belongs to another project. */
export async function requireVisitedWebhook(
  services: WithTable,
  { organizationId, projectId, person: actor }: ProjectVisit,
  hookId: string,
): Promise<WebhookRef> {
  await getProjectWebhook(services, { organizationId, projectId, hookId });
  return { organizationId, hookId, actor };
}
