/** §6 Limits of run events and of the outbox relay. */
export const EVENT_LIMITS = {
  /** §6 Maximum number of characters in all tags of an event together, and in its commit message. */
  eventTagCharacters: 4000,
  eventMessageCharacters: 2048,
  /** Maximum bytes of the tags of all events of one transaction, shared equally by the groups. */
  eventTagBytes: 1_200_000,
  /** Maximum bytes of one outbox row before compression. */
  outboxRowBytes: 250_000,
  /** Maximum number of events in one outbox row. Each event reports one group. */
  eventsPerOutboxRow: 40,
  /** Minimum age of the outbox rows that the sweeper resends. */
  resendAfterMilliseconds: 2 * 60 * 1000,
  /**
   * The delays before the retries of an outbox row that fails although there is no outage. After the last retry, the
   * row is parked for an operator.
   */
  outboxRetrySeconds: [60, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600],
} as const;
