/** §6 Limits of the outbox relay. */
export const RELAY_LIMITS = {
  /** The sweeper resends outbox rows that are older than this. */
  resendAfterMilliseconds: 2 * 60 * 1000,
  /** Backoff of an outbox row that fails for a reason of its own. After the last retry the row is parked. */
  outboxRetrySeconds: [60, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600],
} as const;
