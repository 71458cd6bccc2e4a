import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';

/** §6 Limits of requests to receivers, and of the circuit breaker that every receiver has. */
export const SENDING_LIMITS = {
  urlCharacters: 2048,
  /**
   * The highest port that is reserved for system services. Of the ports up to this one, a receiver may use only the
   * default port of the scheme in its URL: 443 for https, 80 for http.
   */
  systemPorts: 1023,

  /** §6 One attempt: its timeout, from name resolution to the end of the response, and the bytes read and kept. */
  deliveryMilliseconds: 10_000,
  deliveryAnswerBytes: 64 * 1024,
  deliveryAnswerKeptBytes: 1024,
  /** Keep-alive connections in a container: webhooks, idle connections of each, idle time and total lifetime. */
  keptConnections: { webhooks: 20, each: 10, idleMilliseconds: 2000, longestMilliseconds: 30_000 },
  /**
   * Backoff between attempts, its relative jitter, the longest honored `Retry-After`, and how many attempts the row of a
   * delivery keeps.
   */
  deliveryRetrySeconds: [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 10 * 3600],
  deliveryJitter: 0.2,
  retryAfterMilliseconds: DAY_MILLISECONDS,
  attemptsPerDelivery: 10,
  /**
   * Circuit breaker: the number of consecutive failures that open it, its first and longest pause, and the timeout of a
   * probe.
   */
  receiverFailures: 5,
  receiverPauseMilliseconds: { first: 30_000, longest: 15 * 60 * 1000 },
  receiverProbeMilliseconds: 30_000,
  /** The time after which a receiver is disabled if all deliveries fail. */
  receiverFailingMilliseconds: 5 * DAY_MILLISECONDS,
} as const;
