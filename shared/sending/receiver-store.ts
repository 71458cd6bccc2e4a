/**
 * §6 Circuit breaker per receiver. Consecutive failures pause a receiver. After the pause, one delivery at a time tests
 * whether the receiver works again. A receiver is disabled if it fails for days, answers 410, or refuses a notification
 * until somebody changes the settings.
 */

import type { Entity } from '#shared/engine/table/entity.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Changes, type Condition, expectSameValues, toAssignments } from '#shared/engine/table/update.ts';
import type { Receiver, ReceiverKey } from '#shared/model/events/receiver.ts';
import { SENDING_LIMITS } from './limits.ts';

/** The table that stores the receivers. */
export type ReceiverStore<R extends Receiver> = WithTable & {
  readonly receivers: Entity<ReceiverKey, R>;
};

export type Admission =
  | { readonly kind: 'open' }
  /**
   * This delivery tests whether the receiver works again. `claim`: the value of `pausedUntil` that makes other
   * deliveries wait in the meantime.
   */
  | { readonly kind: 'probe'; readonly claim: number }
  | { readonly kind: 'waits'; readonly until: number };

export async function admissionTo<R extends Receiver>(
  { table, receivers }: ReceiverStore<R>,
  receiver: R,
  now: number,
): Promise<Admission> {
  const { pausedUntil } = receiver;
  if (pausedUntil === undefined) return { kind: 'open' };
  if (pausedUntil > now) return { kind: 'waits', until: pausedUntil };
  const claim = now + SENDING_LIMITS.receiverProbeMilliseconds;
  const claimed = await table.update(
    receivers,
    receiver,
    { set: [['pausedUntil', claim]] },
    { path: 'pausedUntil', equals: pausedUntil },
  );
  if (claimed.done) return { kind: 'probe', claim };
  return { kind: 'waits', until: claimed.item?.pausedUntil ?? now };
}

/** How an attempt changes the health of its receiver, given the stored state. */
export type EffectOn<R extends Receiver> = (receiver: R) => Effect | undefined;

interface Effect {
  readonly changes: Changes;
  readonly disables?: boolean;
}

/** The effect of a successful attempt: clears the failures. `undefined` if there are none. */
export function successful({ failures, failingSince, pausedUntil }: Receiver): Effect | undefined {
  if (failures === 0 && failingSince === undefined && pausedUntil === undefined) return undefined;
  return { changes: { set: [['failures', 0]], remove: ['failingSince', 'pausedUntil'] } };
}

export const disabledBy =
  (disabled: NonNullable<Receiver['disabled']>) =>
  (receiver: Receiver): Effect | undefined =>
    receiver.disabled ? undefined : { changes: { set: [['disabled', disabled]] }, disables: true };

interface Failure {
  readonly admission: Admission;
  readonly now: number;
  /** The receiver asked us to send no requests before this time. */
  readonly pausedUntil?: number | undefined;
}

/**
 * A failed probe extends the pause with exponential backoff. Deliveries that were in flight when the pause began are
 * not counted, because they would extend the pause although their failures reveal nothing new about the receiver.
 */
export const failedBy =
  ({ admission, now, pausedUntil }: Failure) =>
  (receiver: Receiver): Effect | undefined => {
    const asked = toAssignments({ pausedUntil });
    const isProbe = admission.kind === 'probe';
    if (receiver.pausedUntil !== (isProbe ? admission.claim : undefined))
      return asked.length === 0 ? undefined : { changes: { set: asked } };
    const { receiverFailures, receiverFailingMilliseconds } = SENDING_LIMITS;
    const failures = isProbe ? receiver.failures + 1 : Math.min(receiver.failures + 1, receiverFailures);
    const pauses = isProbe || failures === receiverFailures;
    const failingSince = receiver.failingSince ?? now;
    const disables = !receiver.disabled && now - failingSince >= receiverFailingMilliseconds;
    const set = toAssignments({
      failures,
      failingSince,
      pausedUntil: pausedUntil ?? (pauses ? now + pauseAfter(failures) : undefined),
      disabled: disables ? { at: now, reason: 'failing' } : undefined,
    });
    return { changes: { set }, disables };
  };

function pauseAfter(failures: number): number {
  const { first, longest } = SENDING_LIMITS.receiverPauseMilliseconds;
  return Math.min(longest, first * 2 ** Math.max(0, failures - SENDING_LIMITS.receiverFailures));
}

/**
 * Whether the settings of the receiver are unchanged since the request was sent. Its owner may have changed its address
 * in the meantime.
 */
export const isSame = (receiver: Receiver | undefined, { updatedAt }: Receiver): boolean =>
  receiver?.updatedAt === updatedAt;

/** The condition of a write: the values from which the effect was computed are unchanged. */
export const whileSame = (receiver: Receiver): Condition => ({
  all: [
    expectSameValues(receiver, 'updatedAt', 'failures', 'failingSince', 'pausedUntil'),
    receiver.disabled ? { present: 'disabled' } : { absent: 'disabled' },
  ],
});
