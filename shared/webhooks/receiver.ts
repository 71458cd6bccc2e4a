/**
 * §6 Circuit breaker per webhook. Consecutive failures pause it; afterwards one delivery at a time probes the receiver.
 * Failures for days, or 410, disable the webhook. All updates are conditional: a deleted or edited webhook stays untouched,
 * because it may point to another receiver now.
 */

import type { Changes, Condition } from '#shared/engine/table/update.ts';
import { type Webhook, webhooks } from '#shared/model/webhook.ts';
import type { Services } from '#shared/services.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

type Table = Pick<Services, 'table'>;

export type Admission =
  | { readonly kind: 'open' }
  /** This delivery probes the receiver. `claim`: the `pausedUntil` that keeps other deliveries waiting meanwhile. */
  | { readonly kind: 'probe'; readonly claim: number }
  | { readonly kind: 'waits'; readonly until: number };

export async function admissionTo({ table }: Table, webhook: Webhook, now: number): Promise<Admission> {
  const { pausedUntil } = webhook;
  if (pausedUntil === undefined) return { kind: 'open' };
  if (pausedUntil > now) return { kind: 'waits', until: pausedUntil };
  const claim = now + WEBHOOK_LIMITS.receiverProbeMilliseconds;
  const claimed = await table.update(
    webhooks,
    webhook,
    { set: [['pausedUntil', claim]] },
    { path: 'pausedUntil', equals: pausedUntil },
  );
  if (claimed.done) return { kind: 'probe', claim };
  return { kind: 'waits', until: claimed.existing?.pausedUntil ?? now };
}

/** Writes only if there is a failure to clear. */
export async function noteSuccess({ table }: Table, webhook: Webhook): Promise<void> {
  const { failures, failingSince, pausedUntil } = webhook;
  if (failures === 0 && failingSince === undefined && pausedUntil === undefined) return;
  await table.update(
    webhooks,
    webhook,
    { set: [['failures', 0]], remove: ['failingSince', 'pausedUntil'] },
    unchanged(webhook),
  );
}

/** Records a failure. Returns whether it disabled the webhook. */
export async function noteFailure(at: Table, webhook: Webhook, admission: Admission, now: number): Promise<boolean> {
  const counted = await (admission.kind === 'probe'
    ? failedProbe(at, webhook, admission.claim, now)
    : failedOnce(at, webhook, now));
  if (now - (counted?.failingSince ?? now) < WEBHOOK_LIMITS.receiverFailingMilliseconds) return false;
  return disable(at, webhook, { at: now, reason: 'failing' });
}

/** A failed probe extends the pause with exponential backoff. */
async function failedProbe({ table }: Table, webhook: Webhook, claim: number, now: number) {
  const pausedUntil = now + pauseAfter(webhook.failures + 1);
  const counted = await table.update(
    webhooks,
    webhook,
    { set: [['pausedUntil', pausedUntil]], ...oneMore(now) },
    { all: [unchanged(webhook), { path: 'pausedUntil', equals: claim }] },
  );
  return counted.done ? counted.item : undefined;
}

/** Ignores deliveries that were in flight when the pause began. They would lengthen it without new information. */
async function failedOnce({ table }: Table, webhook: Webhook, now: number) {
  const isOpen: Condition = { all: [unchanged(webhook), { absent: 'pausedUntil' }] };
  const counted = await table.update(webhooks, webhook, oneMore(now), isOpen);
  if (!counted.done) return undefined;
  const { receiverFailures } = WEBHOOK_LIMITS;
  if (counted.item.failures < receiverFailures) return counted.item;
  // Concurrent failures may exceed the threshold. The first pause has the same length for any number of them.
  const pause: Changes = {
    set: [
      ['pausedUntil', now + pauseAfter(receiverFailures)],
      ['failures', receiverFailures],
    ],
  };
  await table.update(webhooks, webhook, pause, {
    all: [isOpen, { path: 'failures', atLeast: receiverFailures }],
  });
  return counted.item;
}

const oneMore = (now: number): Changes => ({ add: [['failures', 1]], setIfAbsent: [['failingSince', now]] });

function pauseAfter(failures: number): number {
  const { first, longest } = WEBHOOK_LIMITS.receiverPauseMilliseconds;
  return Math.min(longest, first * 2 ** Math.max(0, failures - WEBHOOK_LIMITS.receiverFailures));
}

/** Disables a webhook. Returns whether this call did. */
export async function disable(
  { table }: Table,
  webhook: Webhook,
  disabled: NonNullable<Webhook['disabled']>,
): Promise<boolean> {
  const changes: Changes = { set: [['disabled', disabled]] };
  const { done } = await table.update(webhooks, webhook, changes, {
    all: [unchanged(webhook), { absent: 'disabled' }],
  });
  return done;
}

/** The webhook exists and its owner has not edited it since the attempt began. */
const unchanged = ({ updatedAt }: Webhook): Condition => ({ path: 'updatedAt', equals: updatedAt });
