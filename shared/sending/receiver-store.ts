/**
 * §6 Circuit breaker per receiver. Consecutive failures pause a receiver. After the pause, one delivery at a time tests
 * whether the receiver works again. A receiver is disabled if it fails for days, answers 410, or refuses a notification
 * until somebody changes the settings.
 */

import type { Entity } from '#shared/engine/table/entity.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Changes, type Condition, expectSameValues, toAssignments } from '#shared/engine/table/update.ts';
import type { Write } from '#shared/engine/table/writes.ts';
import type { Receiver, ReceiverKey } from '#shared/model/events/receiver.ts';
import { SENDING_LIMITS } from './limits.ts';

export type ReceiverStore<R extends Receiver> = WithTable & {
  readonly receivers: Entity<ReceiverKey, R>;
  /** What is written, in the same transaction, when the service disables the receiver. */
  readonly planFailure: (receiver: R, reason: string) => Promise<readonly Write[]>;
};

export type Admission =
  | { readonly kind: 'open' }
  /**
   * This delivery tests whether the receiver works again. `claim`: the value of `pausedUntil` that makes other
   * deliveries wait in the meantime.
   */
  | { readonly kind: 'probe'; readonly claim: number }
  | { readonly kind: 'waits'; readonly until: number };

export async function requestAdmission<R extends Receiver>(
  { table, receivers }: ReceiverStore<R>,
  receiver: R,
  now: number,
): Promise<Admission> {
  const { pausedUntil } = receiver;
  if (pausedUntil === undefined) return { kind: 'open' };
  if (pausedUntil > now) return { kind: 'waits', until: pausedUntil };
  const claim = now + SENDING_LIMITS.receiverProbeMilliseconds;
  const result = await table.update(
    receivers,
    receiver,
    { set: [['pausedUntil', claim]] },
    { path: 'pausedUntil', equals: pausedUntil },
  );
  if (result.done) return { kind: 'probe', claim };
  return { kind: 'waits', until: result.item?.pausedUntil ?? now };
}

/** How an attempt changes the health of its receiver, given the stored state. */
export type ComputeEffect<R extends Receiver> = (receiver: R) => ReceiverEffect | undefined;

interface ReceiverEffect {
  readonly changes: Changes;
  /** Why the receiver gets nothing anymore, if the attempt disables it. */
  readonly disables?: string | undefined;
}

/** The effect of a successful attempt: clears the failures. `undefined` if there are none. */
export function computeSuccessEffect({ failures, failingSince, pausedUntil }: Receiver): ReceiverEffect | undefined {
  if (failures === 0 && failingSince === undefined && pausedUntil === undefined) return undefined;
  return { changes: { set: [['failures', 0]], remove: ['failingSince', 'pausedUntil'] } };
}

/** Why the service disables a receiver, for the audit log. */
const REASONS = {
  failing: 'every delivery failed for days',
  gone: 'the receiver answered 410 Gone',
  refused: 'the receiver refused',
} as const;

interface Disabling {
  readonly at: number;
  readonly reason: keyof typeof REASONS;
  readonly problem?: string;
}

export const makeDisablingEffect =
  (disabling: Disabling) =>
  (receiver: Receiver): ReceiverEffect | undefined =>
    receiver.disabled
      ? undefined
      : { changes: { set: [['disabled', disabling]] }, disables: disabling.problem ?? REASONS[disabling.reason] };

interface AttemptFailure {
  readonly admission: Admission;
  readonly now: number;
  /** The receiver asked us to send no requests before this time. */
  readonly pausedUntil?: number | undefined;
}

/**
 * A failed probe extends the pause with exponential backoff. Deliveries that were in flight when the pause began are
 * not counted, because they would extend the pause although their failures reveal nothing new about the receiver.
 */
export const makeFailureEffect =
  ({ admission, now, pausedUntil }: AttemptFailure) =>
  (receiver: Receiver): ReceiverEffect | undefined => {
    const pauseEntries = toAssignments({ pausedUntil });
    const isProbe = admission.kind === 'probe';
    if (receiver.pausedUntil !== (isProbe ? admission.claim : undefined))
      return pauseEntries.length === 0 ? undefined : { changes: { set: pauseEntries } };
    const { receiverFailures, receiverFailingMilliseconds } = SENDING_LIMITS;
    const failures = isProbe ? receiver.failures + 1 : Math.min(receiver.failures + 1, receiverFailures);
    const pauses = isProbe || failures === receiverFailures;
    const failingSince = receiver.failingSince ?? now;
    const disables = !receiver.disabled && now - failingSince >= receiverFailingMilliseconds;
    const set = toAssignments({
      failures,
      failingSince,
      pausedUntil: pausedUntil ?? (pauses ? now + computePause(failures) : undefined),
      disabled: disables ? { at: now, reason: 'failing' } : undefined,
    });
    return { changes: { set }, disables: disables ? REASONS.failing : undefined };
  };

function computePause(failures: number): number {
  const { first, longest } = SENDING_LIMITS.receiverPauseMilliseconds;
  return Math.min(longest, first * 2 ** Math.max(0, failures - SENDING_LIMITS.receiverFailures));
}

/** The owner may have changed the settings, such as the address, since the request was sent. */
export const isSame = (receiver: Receiver | undefined, { updatedAt }: Receiver): boolean =>
  receiver?.updatedAt === updatedAt;

/** The condition of a write: the values from which the effect was computed are unchanged. */
export const whileSame = (receiver: Receiver): Condition => ({
  all: [
    expectSameValues(receiver, 'updatedAt', 'failures', 'failingSince', 'pausedUntil'),
    receiver.disabled ? { present: 'disabled' } : { absent: 'disabled' },
  ],
});
