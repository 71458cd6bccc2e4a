/** §6 Deletes a webhook immediately. Pending deliveries are dropped, and the delivery history expires. */

import { PRESENT, remove, removeWhen, update } from '#shared/engine/table/writes.ts';
import { webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { projects } from '#shared/model/organizations/project.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeWebhook, type WebhookRef } from './change-webhook.ts';

export function deleteWebhook(services: CoreServices, ref: WebhookRef): Promise<{ hookId: string }> {
  return changeWebhook(services, ref, (webhook) => ({
    result: { hookId: webhook.hookId },
    writes: [
      removeWhen(webhooks, webhook, PRESENT),
      remove(webhooksOfProject, webhook),
      update(projects, webhook, { add: [['webhookCount', -1]] }, PRESENT),
    ],
    record: { action: 'webhook deleted', detail: `project ${webhook.projectId}` },
  }));
}
