/** §6 A webhook ends at once: what is still to be delivered to it is dropped, and the list of its deliveries expires by itself. */
import { projects } from '../resources/project.ts';
import { webhooks, webhooksOfProject } from '../resources/webhook.ts';
import type { Administration } from '../services.ts';
import { PRESENT, remove, removeWhen, update } from '../table/writes.ts';
import { changeWebhook, type Of } from './change-webhook.ts';

export function deleteWebhook(services: Administration, of: Of): Promise<{ hookId: string }> {
  return changeWebhook(services, of, (webhook) => ({
    result: { hookId: webhook.hookId },
    writes: [
      removeWhen(webhooks, webhook, PRESENT),
      remove(webhooksOfProject, webhook),
      update(projects, webhook, { add: [['webhookCount', -1]] }, PRESENT),
    ],
    record: { action: 'webhook deleted', detail: `project ${webhook.projectId}` },
  }));
}
