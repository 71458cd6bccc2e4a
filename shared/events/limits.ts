/** §6 Limits of run events and of the outbox relay. */
export const EVENT_LIMITS = {
  /** §6 The characters of all tags of an event together, and the characters of its commit message. */
  eventTagCharacters: 4000,
  eventMessageCharacters: 2048,
  /** Bytes of the tags of all events of one transaction, shared equally by the groups. */
  eventTagBytes: 1_200_000,
  /** Bytes of one outbox row before compression. */
  outboxRowBytes: 250_000,
  /** The number of events in one outbox row, one per group. */
  eventsPerOutboxRow: 40,
  /** The age from which the sweeper resends outbox rows. */
  resendAfterMilliseconds: 2 * 60 * 1000,
  /**
   * The waits between the retries of an outbox row that fails although there is no outage. After the last retry, the
   * row is parked.
   */
  outboxRetrySeconds: [60, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600],
} as const;
