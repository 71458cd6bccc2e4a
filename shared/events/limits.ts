/** §6 Limits of run events and of the outbox relay. */
export const EVENT_LIMITS = {
  /** §6 All tags of an event together, and its commit message. */
  eventTagCharacters: 4000,
  eventMessageCharacters: 2048,
  /** The tags of all events of one transaction, shared equally by the groups. */
  eventTagBytes: 1_200_000,
  /** Before compression. */
  outboxRowBytes: 250_000,
  /** Each event reports one group. */
  eventsPerOutboxRow: 40,
  /** Of the outbox rows that the sweeper resends. */
  resendAfterMilliseconds: 2 * 60 * 1000,
  /** Delays of retries if there is no outage. After the last retry, the row is parked for an operator. */
  outboxRetrySeconds: [60, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600],
} as const;
