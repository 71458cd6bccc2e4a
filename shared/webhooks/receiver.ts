/**
 * §6 How a webhook's receiver is doing, and what follows from it: one that failed several times in a row is left alone for a
 * while, then tried with one delivery at a time; one that fails for days, or wants no more, is sent nothing any more.
 * Nothing here touches a webhook that was deleted or changed meanwhile: it may point elsewhere by now.
 */
import { type Webhook, webhooks } from '../resources/webhook.ts';
import type { Services } from '../services.ts';
import type { Changes, Condition } from '../table/update.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';

type Table = Pick<Services, 'table'>;

export type Admission =
  | { readonly kind: 'open' }
  /** The one that finds out whether the receiver is back. `claim`: what its webhook is paused until, for that reason. */
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

/** Writes only where there is something to forget. */
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

/** Whether the webhook was disabled for it. */
export async function noteFailure(at: Table, webhook: Webhook, admission: Admission, now: number): Promise<boolean> {
  const counted = await (admission.kind === 'probe'
    ? failedProbe(at, webhook, admission.claim, now)
    : failedOnce(at, webhook, now));
  if (now - (counted?.failingSince ?? now) < WEBHOOK_LIMITS.receiverFailingMilliseconds) return false;
  return disable(at, webhook, { at: now, reason: 'failing' });
}

/** The pause that it was to end goes on, for longer. */
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

/** What was under way when a pause began is not counted: it says nothing new, and would make the pause longer. */
async function failedOnce({ table }: Table, webhook: Webhook, now: number) {
  const isOpen: Condition = { all: [unchanged(webhook), { absent: 'pausedUntil' }] };
  const counted = await table.update(webhooks, webhook, oneMore(now), isOpen);
  if (!counted.done) return undefined;
  const { receiverFailures } = WEBHOOK_LIMITS;
  if (counted.item.failures < receiverFailures) return counted.item;
  // Many may fail at the same moment: that is the first pause all the same, and no longer for their number.
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

/** Whether it was this call that disabled it. */
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

/** There, and as it was when the attempt began: only its owner's changes count, not what is noted here. */
const unchanged = ({ updatedAt }: Webhook): Condition => ({ path: 'updatedAt', equals: updatedAt });
