/** §6 A change of a webhook and its audit record, both or neither. */
import { auditOf } from '../organizations/audit.ts';
import { untilWritten } from '../organizations/change.ts';
import type { Webhook } from '../resources/webhook.ts';
import type { Administration } from '../services.ts';
import type { Condition } from '../table/update.ts';
import { PRESENT, type Write } from '../table/writes.ts';
import { findWebhook, type WebhookKey } from './find-webhook.ts';

export interface Of extends WebhookKey {
  /** As the audit record names them. */
  readonly actor: string;
}

interface Change<Result> {
  readonly result: Result;
  /** None: everything is as it shall be already. */
  readonly writes: readonly Write[];
  /** Never what a header or a secret is, nor a URL: many hold a secret, too. */
  readonly record?: { readonly action: string; readonly detail: string };
}

/** Looks at the webhook as it is, and again when it was changed meanwhile; 404 when it is not there. */
export function changeWebhook<Result>(
  services: Administration,
  of: Of,
  plan: (webhook: Webhook) => Promise<Change<Result>> | Change<Result>,
): Promise<Result> {
  const { organizationId, hookId, actor } = of;
  return untilWritten(services, async () => {
    const { result, writes, record } = await plan(await findWebhook(services, of));
    if (writes.length === 0 || !record) return { result, writes };
    return { result, writes: [...writes, auditOf(services, { ...record, organizationId, actor, subject: hookId })] };
  });
}

export const ENABLED: Condition = { all: [PRESENT, { absent: 'disabled' }] };
