/** §6 A delivery channel: the receivers, the deliveries and the send function of webhooks or of notifications. */
import type { DeliveryAttempt, DeliveryState } from '#shared/model/events/delivery.ts';
import type { Receiver } from '#shared/model/events/receiver.ts';
import type { ReceiverStore } from './receiver-store.ts';
import type { DeliveryLog } from './record-attempt.ts';

export type SendOutcome =
  | { readonly outcome: 'delivered'; readonly attempt: DeliveryAttempt }
  /** The receiver answered 410 (Gone): it wants no more deliveries. */
  | { readonly outcome: 'gone'; readonly attempt: DeliveryAttempt }
  /** `pauses`: the receiver asked us to send no request at all until `retryAfter`. */
  | {
      readonly outcome: 'failed';
      readonly attempt: DeliveryAttempt;
      readonly retryAfter: string | undefined;
      readonly pauses?: boolean;
    };

/** Further outcomes, which depend on the content of a delivery or on other deliveries to the same receiver. */
export type SpecialOutcome =
  /** No delivery to the receiver can succeed until its owner changes the settings. */
  | { readonly outcome: 'refused'; readonly attempt: DeliveryAttempt; readonly problem: string }
  /** No retry of this delivery can succeed, or the delivery has become unnecessary. */
  | { readonly outcome: 'pointless'; readonly attempt: DeliveryAttempt }
  /** Another delivery is writing to the same target. This delivery is tried again at `until`, in epoch milliseconds. */
  | { readonly outcome: 'busy'; readonly until: number };

export interface DeliveryChannel<R extends Receiver, D extends DeliveryState>
  extends Pick<ReceiverStore<R>, 'receivers' | 'planFailure'>,
    Pick<DeliveryLog<D>, 'deliveries' | 'due'> {
  /** Sends one delivery. A failure of the receiver is returned as an outcome and never thrown. */
  readonly send: (receiver: R, delivery: D, now: number) => Promise<SendOutcome | SpecialOutcome>;
  /** Whether a test is sent although the receiver is disabled. */
  readonly testsWhileOff?: true;
}
