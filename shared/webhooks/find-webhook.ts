/** §4.4.4 Reads one webhook, or all webhooks of a project. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import { getWebhooksSpan, type Webhook, webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { presentWebhook } from './webhook-wire.ts';

export type WebhookKey = Pick<Webhook, 'organizationId' | 'hookId'>;
/** The read is consistent, because clients read a webhook right after they changed it. */
export const findWebhook = async ({ table }: WithTable, key: WebhookKey): Promise<Webhook> =>
  (await table.get(webhooks, key, { consistent: true })) ?? refuse(notFound('Webhook'));

export const getWebhook = async (services: WithTable, key: WebhookKey) =>
  presentWebhook(await findWebhook(services, key));

/** Throws 404 if it belongs to another project. */
export async function getProjectWebhook(
  services: WithTable,
  { projectId, ...key }: WebhookKey & Pick<Webhook, 'projectId'>,
) {
  const webhook = await findWebhook(services, key);
  return webhook.projectId === projectId ? presentWebhook(webhook) : refuse(notFound('Webhook'));
}

/** Newest first. There are no pages, because a project has few webhooks. */
export async function listWebhooks({ table }: WithTable, projectKey: ProjectKey) {
  await findProject({ table }, projectKey);
  const all = await readListedItems(table, webhooksOfProject, getWebhooksSpan(projectKey), webhooks);
  return all.sort((one, other) => other.createdAt - one.createdAt).map(presentWebhook);
}
