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

  /** §6 Limits of a webhook's URL and headers, when saved and when sent. */
  webhookUrlCharacters: 2048,
  webhookHeadersCharacters: 4096,
  webhookHeaders: 20,
  /** The highest port of those that are reserved for system services, except the ports of HTTP and HTTPS. */
  systemPorts: 1023,
  signingSecretBytes: 32,

  /** §6 One delivery attempt: its timeout, from name resolution to the end of the answer, and its sizes. */
  deliveryMilliseconds: 10_000,
  deliveryAnswerBytes: 64 * 1024,
  deliveryAnswerKeptBytes: 1024,
  /** Keep-alive connections per container: webhooks, connections per webhook, idle time and total lifetime. */
  keptConnections: { webhooks: 20, each: 10, idleMilliseconds: 2000, longestMilliseconds: 30_000 },
  /** Backoff between attempts, its relative jitter, and the longest honored `Retry-After`. */
  deliveryRetrySeconds: [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 10 * 3600],
  deliveryJitter: 0.2,
  retryAfterMilliseconds: 24 * 3600 * 1000,
  attemptsPerDelivery: 10,
  deliveryDays: 30,
  /** Circuit breaker: consecutive failures that open it, first and longest pause, and the timeout of a probe. */
  receiverFailures: 5,
  receiverPauseMilliseconds: { first: 30_000, longest: 15 * 60 * 1000 },
  receiverProbeMilliseconds: 30_000,
  /** The time after which a webhook is disabled if its receiver fails all along. */
  receiverFailingMilliseconds: 5 * 24 * 3600 * 1000,

  /**
   * §6 Concurrent sender calls per organization and per receiver. Ten calls run in total, each with ten deliveries. A
   * lease outlives the longest delivery. A job over the limit waits at most `overCapSeconds`, by round.
   */
  sending: {
    callsPerOrganization: 3,
    callsPerReceiver: 2,
    leaseMilliseconds: 15_000,
    overCapSeconds: [1, 2, 4],
  },
} as const;
