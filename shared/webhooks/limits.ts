/** §6 Limits of webhooks. */
export const WEBHOOK_LIMITS = {
  /** §6 */
  webhookLabelCharacters: 255,
  webhooksPerProject: 20,
  /** The time for which a replaced secret still signs, and the number of secrets that sign at the same time. */
  replacedSecretMilliseconds: 24 * 60 * 60 * 1000,
  signingSecrets: 4,
  /** A job counts as lost after this time without an attempt: the queue would have dropped it. */
  lostJobMilliseconds: 15 * 60 * 1000,

  /** §6 Limits of a webhook's headers, when saved and when sent. */
  webhookHeadersCharacters: 4096,
  webhookHeaders: 20,
  signingSecretBytes: 32,

  /** The days for which deliveries are kept. */
  deliveryDays: 30,

  /**
   * §6 Limits of sending. Concurrent sender calls per organization and per receiver. Ten calls run in total, each with
   * ten deliveries. A lease outlives the longest delivery. A job over the limit waits at most `overCapSeconds`, by
   * round.
   */
  sending: {
    callsPerOrganization: 3,
    callsPerReceiver: 2,
    leaseMilliseconds: 15_000,
    overCapSeconds: [1, 2, 4],
  },
} as const;
