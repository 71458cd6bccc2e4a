/** §6 Creates a webhook: its record, its list entry and the project's webhook count, in one transaction. */
import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import type { Condition } from '#shared/engine/table/update.ts';
import { ABSENT, put, update } from '#shared/engine/table/writes.ts';
import { findProjectInUse } from '#shared/find-project.ts';
import { type Webhook, webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { change } from '#shared/organizations/change.ts';
import type { Submission } from '#shared/organizations/only-once.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { formatAuditLabel } from './change-webhook.ts';
import { tooManyWebhooks } from './errors.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { checkHeaders, checkUrl } from './settings.ts';
import { createSigningSecret } from './sign.ts';
import { type CreatedWebhook, type NewWebhook, presentWebhook } from './webhook-wire.ts';

interface WebhookCreation extends Submission, ProjectKey {
  readonly input: z.output<typeof NewWebhook>;
}

export async function createWebhook(
  services: CoreServices & Pick<Services, 'privateReceivers'>,
  { organizationId, projectId, actor, formId, repetition, input }: WebhookCreation,
): Promise<z.infer<typeof CreatedWebhook>> {
  const { label, hookEvents, signed } = input;
  const settings = { url: checkUrl(input.url, services), headers: checkHeaders(input.headers), label, hookEvents };
  const key = { organizationId, projectId };
  return change(services, { actor, formId, repetition, action: 'webhooks:write' }, async () => {
    const project = await findProjectInUse(services, key);
    if ((project.webhookCount ?? 0) >= WEBHOOK_LIMITS.webhooksPerProject)
      throw tooManyWebhooks(WEBHOOK_LIMITS.webhooksPerProject);
    const now = services.now();
    const hookId = randomUUID();
    const secret = signed ? createSigningSecret() : undefined;
    const secrets = secret ? [{ value: secret }] : [];
    const webhook: Webhook = { ...key, hookId, ...settings, createdAt: now, updatedAt: now, secrets, failures: 0 };
    return {
      result: { ...presentWebhook(webhook), signingSecret: secret },
      writes: [
        put(webhooks, webhook, ABSENT),
        put(webhooksOfProject, webhook),
        update(projects, key, { add: [['webhookCount', 1]] }, ROOM_FOR_ONE),
      ],
      inProject: key,
      record: {
        organizationId,
        action: 'webhook created',
        subject: hookId,
        label: formatAuditLabel(webhook),
        detail: `project ${projectId}`,
      },
    };
  });
}

const ROOM_FOR_ONE: Condition = {
  any: [{ absent: 'webhookCount' }, { path: 'webhookCount', atMost: WEBHOOK_LIMITS.webhooksPerProject - 1 }],
};
