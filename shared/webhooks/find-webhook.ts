/** §4.4 One webhook, or all of a project. */
import { notFound, refuse } from '../errors.ts';
import { projects } from '../resources/project.ts';
import { type Webhook, webhooks, webhooksOfProject, webhooksSpan } from '../resources/webhook.ts';
import type { Services } from '../services.ts';
import { presentWebhook } from './webhook-wire.ts';

export type WebhookKey = Pick<Webhook, 'organizationId' | 'hookId'>;
type Reading = Pick<Services, 'table'>;

/** As it is at this moment: a client that made or changed one looks at it next. */
export const findWebhook = async ({ table }: Reading, key: WebhookKey): Promise<Webhook> =>
  (await table.get(webhooks, key, { consistent: true })) ?? refuse(notFound('Webhook'));

export const getWebhook = async (services: Reading, key: WebhookKey) =>
  presentWebhook(await findWebhook(services, key));

/** Newest first. There are few: they fit one page. */
export async function listWebhooks({ table }: Reading, of: Pick<Webhook, 'organizationId' | 'projectId'>) {
  if (!(await table.get(projects, of))) throw notFound('Project');
  const pointers = await table.queryAll(webhooksOfProject, webhooksSpan(of), { consistent: true });
  const found = await table.getMany(webhooks, pointers, { consistent: true });
  return found
    .flatMap((webhook) => webhook ?? [])
    .sort((one, other) => other.createdAt - one.createdAt)
    .map(presentWebhook);
}
