/** §6 Changes or deletes a webhook, and writes the audit record in the same transaction. */
import type { AuditName } from '#shared/access/actions.ts';
import { DELIVERY } from '#shared/access/actor.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { PRESENT, remove, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { type Webhook, webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { projects } from '#shared/model/organizations/project.ts';
import {
  type AuditEntry,
  type Awaitable,
  type ChangePlan,
  change,
  planFailureRecord,
} from '#shared/organizations/change.ts';
import type { Submission } from '#shared/organizations/only-once.ts';
import type { CoreServices } from '#shared/services.ts';
import { findWebhook, type WebhookKey } from './find-webhook.ts';

export interface WebhookRef extends WebhookKey, Submission {}

/** The details contain no header values, secrets or URLs, because a URL often contains a secret. */
type WebhookEntry = Pick<AuditEntry<AuditName<'webhooks:write'>>, 'action' | 'detail'>;

/** Plans again if the webhook was changed at the same time. Throws 404 if it does not exist. */
export function changeWebhook<Result>(
  services: CoreServices,
  ref: WebhookRef,
  plan: (webhook: Webhook) => Awaitable<ChangePlan<Result, WebhookEntry>>,
): Promise<Result> {
  const { organizationId, hookId, actor, formId, expects } = ref;
  return change(services, { actor, formId, expects, action: 'webhooks:write' }, async () => {
    const webhook = await findWebhook(services, ref);
    const plannedChange = await plan(webhook);
    if (plannedChange.writes === undefined) return plannedChange;
    const about = { organizationId, subject: hookId, label: formatAuditLabel(webhook) };
    return { ...plannedChange, record: [plannedChange.record].flat().map((entry) => ({ ...entry, ...about })) };
  });
}

/** The host of the receiver if there is no label, or one that contains a URL, which may contain a secret. */
export const formatAuditLabel = ({ label, url }: Pick<Webhook, 'label' | 'url'>): string =>
  label === null || label.includes('://') ? new URL(url).host : label;

/** §5.1 Tells the Admins that the service has disabled the webhook. */
export const planWebhookFailure = (services: CoreServices, webhook: Webhook, reason: string): Write[] =>
  planFailureRecord(services, DELIVERY, {
    organizationId: webhook.organizationId,
    action: 'webhook failed',
    subject: webhook.hookId,
    label: formatAuditLabel(webhook),
    detail: `project ${webhook.projectId}: ${reason}`,
  });

export const ENABLED: Condition = { all: [PRESENT, { absent: 'disabled' }] };

/** Deletes a webhook immediately. Pending deliveries are dropped, and the delivery history expires. */
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
