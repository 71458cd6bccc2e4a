/**
 * §6 Circuit breaker per receiver. Consecutive failures pause it; afterwards one delivery at a time probes the receiver.
 * Failures for days, or 410, disable it. All updates are conditional: a deleted or edited receiver stays untouched,
 * because it may lead to another address now.
 */

import type { Entity } from '#shared/engine/table/entity.ts';
import type { Changes, Condition } from '#shared/engine/table/update.ts';
import type { Receiver, ReceiverKey } from '#shared/model/receiver.ts';
import type { Services } from '#shared/services.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

/** The table with the rows of these receivers. */
export type Health<R extends Receiver> = Pick<Services, 'table'> & { readonly receivers: Entity<ReceiverKey, R> };

export type Admission =
  | { readonly kind: 'open' }
  /** This delivery probes the receiver. `claim`: the `pausedUntil` that keeps other deliveries waiting meanwhile. */
  | { readonly kind: 'probe'; readonly claim: number }
  | { readonly kind: 'waits'; readonly until: number };

export async function admissionTo<R extends Receiver>(
  { table, receivers }: Health<R>,
  receiver: R,
  now: number,
): Promise<Admission> {
  const { pausedUntil } = receiver;
  if (pausedUntil === undefined) return { kind: 'open' };
  if (pausedUntil > now) return { kind: 'waits', until: pausedUntil };
  const claim = now + WEBHOOK_LIMITS.receiverProbeMilliseconds;
  const claimed = await table.update(
    receivers,
    receiver,
    { set: [['pausedUntil', claim]] },
    { path: 'pausedUntil', equals: pausedUntil },
  );
  if (claimed.done) return { kind: 'probe', claim };
  return { kind: 'waits', until: claimed.existing?.pausedUntil ?? now };
}

/** Writes only if there is a failure to clear. */
export async function noteSuccess<R extends Receiver>({ table, receivers }: Health<R>, receiver: R): Promise<void> {
  const { failures, failingSince, pausedUntil } = receiver;
  if (failures === 0 && failingSince === undefined && pausedUntil === undefined) return;
  await table.update(
    receivers,
    receiver,
    { set: [['failures', 0]], remove: ['failingSince', 'pausedUntil'] },
    unchanged(receiver),
  );
}

/** Records a failure. Returns whether it disabled the receiver. */
export async function noteFailure<R extends Receiver>(
  at: Health<R>,
  receiver: R,
  admission: Admission,
  now: number,
): Promise<boolean> {
  const counted = await (admission.kind === 'probe'
    ? failedProbe(at, receiver, admission.claim, now)
    : failedOnce(at, receiver, now));
  if (now - (counted?.failingSince ?? now) < WEBHOOK_LIMITS.receiverFailingMilliseconds) return false;
  return disable(at, receiver, { at: now, reason: 'failing' });
}

/** A failed probe extends the pause with exponential backoff. */
async function failedProbe<R extends Receiver>(
  { table, receivers }: Health<R>,
  receiver: R,
  claim: number,
  now: number,
) {
  const pausedUntil = now + pauseAfter(receiver.failures + 1);
  const counted = await table.update(
    receivers,
    receiver,
    { set: [['pausedUntil', pausedUntil]], ...oneMore(now) },
    { all: [unchanged(receiver), { path: 'pausedUntil', equals: claim }] },
  );
  return counted.done ? counted.item : undefined;
}

/** Ignores deliveries that were in flight when the pause began. They would lengthen it without new information. */
async function failedOnce<R extends Receiver>({ table, receivers }: Health<R>, receiver: R, now: number) {
  const isOpen: Condition = { all: [unchanged(receiver), { absent: 'pausedUntil' }] };
  const counted = await table.update(receivers, receiver, oneMore(now), isOpen);
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
  await table.update(receivers, receiver, pause, {
    all: [isOpen, { path: 'failures', atLeast: receiverFailures }],
  });
  return counted.item;
}

const oneMore = (now: number): Changes => ({ add: [['failures', 1]], setIfAbsent: [['failingSince', now]] });

function pauseAfter(failures: number): number {
  const { first, longest } = WEBHOOK_LIMITS.receiverPauseMilliseconds;
  return Math.min(longest, first * 2 ** Math.max(0, failures - WEBHOOK_LIMITS.receiverFailures));
}

/** Pauses a receiver until it takes requests again, as its answer asked. */
export async function pauseUntil<R extends Receiver>(
  { table, receivers }: Health<R>,
  receiver: R,
  pausedUntil: number,
): Promise<void> {
  await table.update(receivers, receiver, { set: [['pausedUntil', pausedUntil]] }, unchanged(receiver));
}

/** Disables a receiver. Returns whether this call did. */
export async function disable<R extends Receiver>(
  { table, receivers }: Health<R>,
  receiver: R,
  disabled: NonNullable<Receiver['disabled']>,
): Promise<boolean> {
  const changes: Changes = { set: [['disabled', disabled]] };
  const { done } = await table.update(receivers, receiver, changes, {
    all: [unchanged(receiver), { absent: 'disabled' }],
  });
  return done;
}

/** The receiver exists and its owner has not edited it since the attempt began. */
const unchanged = ({ updatedAt }: Receiver): Condition => ({ path: 'updatedAt', equals: updatedAt });
