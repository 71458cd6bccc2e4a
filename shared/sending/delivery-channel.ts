/** §6 A delivery channel: the receivers, the deliveries and the send function of webhooks or of notifications. */
import type { DeliveryAttempt, DeliveryState } from '#shared/model/events/delivery.ts';
import type { Receiver } from '#shared/model/events/receiver.ts';
import type { ReceiverStore } from './receiver-store.ts';
import type { Log } from './record-attempt.ts';

export type Sent =
  | { readonly outcome: 'delivered'; readonly attempt: DeliveryAttempt }
  /** The receiver answered 410: it wants no more deliveries. */
  | { readonly outcome: 'gone'; readonly attempt: DeliveryAttempt }
  /** `pauses`: the receiver asked for no other request until `retryAfter`. */
  | {
      readonly outcome: 'failed';
      readonly attempt: DeliveryAttempt;
      readonly retryAfter: string | undefined;
      readonly pauses?: boolean;
    };

/** Outcomes of receivers that depend on the content of a delivery, or on other deliveries. */
export type SpecialOutcome =
  /** The receiver will refuse every delivery until its owner changes it. */
  | { readonly outcome: 'refused'; readonly attempt: DeliveryAttempt; readonly problem: string }
  /** No retry of this delivery can succeed, or it is not needed any more. */
  | { readonly outcome: 'pointless'; readonly attempt: DeliveryAttempt }
  /** Another delivery is writing to the same target. Try again at this time, in epoch milliseconds. */
  | { readonly outcome: 'busy'; readonly until: number };

export interface DeliveryChannel<R extends Receiver, D extends DeliveryState>
  extends Pick<ReceiverStore<R>, 'receivers'>,
    Pick<Log<D>, 'deliveries' | 'due'> {
  /** Sends one delivery. Failures of the receiver are outcomes and never thrown. */
  readonly send: (receiver: R, delivery: D, now: number) => Promise<Sent | SpecialOutcome>;
}
