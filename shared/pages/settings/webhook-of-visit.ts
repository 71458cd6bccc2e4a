/** Checks the webhook whose id is in the URL of a page or form. */
import type { Person } from '#shared/access/actor.ts';
import type { Services } from '#shared/services.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { webhookOfProject } from '#shared/webhooks/find-webhook.ts';

interface WebhookOfVisit {
  readonly organizationId: string;
  readonly hookId: string;
  readonly actor: Person;
}

/** Returns the arguments for changing the webhook. Throws 404 if it does not exist or belongs to another project. */
export async function webhookOfVisit(
  services: Pick<Services, 'table'>,
  { organizationId, projectId, person: actor }: ProjectVisit,
  hookId: string,
): Promise<WebhookOfVisit> {
  await webhookOfProject(services, { organizationId, projectId, hookId });
  return { organizationId, hookId, actor };
}
