/** §6 A webhook, or a notification of a project. Nothing but a test is sent to a notification that is disabled, and nothing to a disabled webhook. */
export interface Receiver {
  readonly organizationId: string;
  readonly projectId: string;
  /** The id of the webhook or notification, by which deliveries refer to it. */
  readonly hookId: string;
  /** When somebody last changed the receiver, in epoch milliseconds. */
  readonly updatedAt: number;
  readonly disabled?: { readonly at: number; readonly reason: string; readonly problem?: string };
  /** Time of the first failure since the last success, in epoch milliseconds. */
  readonly failingSince?: number;
  /** The number of consecutive failures. */
  readonly failures: number;
  /** The circuit breaker is open until this time, in epoch milliseconds. */
  readonly pausedUntil?: number;
}

export type ReceiverKey = Pick<Receiver, 'organizationId' | 'hookId'>;
