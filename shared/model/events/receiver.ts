/** §6 A receiver of deliveries: a webhook, or a notification of a project. Its health decides whether anything is sent to it. */
export interface Receiver {
  readonly organizationId: string;
  readonly projectId: string;
  /** The id of the receiver, by which deliveries name it. */
  readonly hookId: string;
  /** The time in milliseconds at which its owner last changed it. */
  readonly updatedAt: number;
  readonly disabled?: { readonly at: number; readonly reason: string; readonly problem?: string };
  /** The time in milliseconds of the first of the uninterrupted failures. */
  readonly failingSince?: number;
  /** The number of consecutive failures. */
  readonly failures: number;
  /** The time in milliseconds until which the circuit breaker is open. */
  readonly pausedUntil?: number;
}

export type ReceiverKey = Pick<Receiver, 'organizationId' | 'hookId'>;
