/** §6 A new webhook: its record, its place in the list of its project and the project's count of them, all or nothing. */
import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { notFound, refuse, tooManyWebhooks } from '../errors.ts';
import { auditOf } from '../organizations/audit.ts';
import { untilWritten } from '../organizations/change.ts';
import { projects } from '../resources/project.ts';
import { type Webhook, webhooks, webhooksOfProject } from '../resources/webhook.ts';
import type { Administration, Services } from '../services.ts';
import type { Condition } from '../table/update.ts';
import { ABSENT, PRESENT, put, update } from '../table/writes.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';
import { headersFrom, urlFrom } from './settings.ts';
import { createSigningSecret } from './sign.ts';
import { type CreatedWebhook, type NewWebhook, presentWebhook } from './webhook-wire.ts';

interface Creation {
  readonly organizationId: string;
  readonly projectId: string;
  /** As the audit record names them. */
  readonly actor: string;
  readonly wish: z.output<typeof NewWebhook>;
}

export async function createWebhook(
  services: Administration & Pick<Services, 'privateReceivers'>,
  { organizationId, projectId, actor, wish }: Creation,
): Promise<z.infer<typeof CreatedWebhook>> {
  const { label, hookEvents, signed } = wish;
  const settings = { url: urlFrom(wish.url, services), headers: headersFrom(wish.headers), label, hookEvents };
  const key = { organizationId, projectId };
  return untilWritten(services, async () => {
    const project = (await services.table.get(projects, key, { consistent: true })) ?? refuse(notFound('Project'));
    if ((project.webhookCount ?? 0) >= WEBHOOK_LIMITS.webhooksPerProject)
      throw tooManyWebhooks(WEBHOOK_LIMITS.webhooksPerProject);
    const [now, hookId, secret] = [services.now(), randomUUID(), signed ? createSigningSecret() : undefined];
    const secrets = secret === undefined ? [] : [{ value: secret }];
    const webhook: Webhook = { ...key, hookId, ...settings, createdAt: now, updatedAt: now, secrets, failures: 0 };
    const detail = `project ${projectId}`;
    return {
      result: { ...presentWebhook(webhook), ...(secret === undefined ? {} : { signingSecret: secret }) },
      writes: [
        put(webhooks, webhook, ABSENT),
        put(webhooksOfProject, webhook),
        update(projects, key, { add: [['webhookCount', 1]] }, { all: [PRESENT, ROOM_FOR_ONE] }),
        auditOf(services, { organizationId, actor, action: 'webhook created', subject: hookId, detail }),
      ],
    };
  });
}

const ROOM_FOR_ONE: Condition = {
  any: [{ absent: 'webhookCount' }, { path: 'webhookCount', atMost: WEBHOOK_LIMITS.webhooksPerProject - 1 }],
};
