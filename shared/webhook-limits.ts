/** §6 The numbers of events and webhooks on their way out. Each stands here once. */
export const WEBHOOK_LIMITS = {
  /** §6 */
  webhookLabelCharacters: 255,
  webhooksPerProject: 20,
  /** For how long a secret that was replaced signs beside the new one, and how many sign at once. */
  replacedSecretMilliseconds: 24 * 60 * 60 * 1000,
  signingSecrets: 4,
  /** An attempt that is late by this much is not under way any more: a queue would have given up on it. */
  lostOrderMilliseconds: 15 * 60 * 1000,

  /** §6 Of a webhook's URL and of its headers: as saved, and as sent. */
  webhookUrlCharacters: 2048,
  webhookHeadersCharacters: 4096,
  webhookHeaders: 20,
  /** Ports up to this one belong to services of the system, other than those of the web. */
  systemPorts: 1023,
  signingSecretBytes: 32,

  /** §6 One attempt to deliver: from the look-up of the name to the end of the answer, and what is read and kept of it. */
  deliveryMilliseconds: 10_000,
  deliveryAnswerBytes: 64 * 1024,
  deliveryAnswerKeptBytes: 1024,
  /** Connections that one container keeps open: to how many webhooks, how many to each, unused and altogether for how long. */
  keptConnections: { webhooks: 20, each: 10, idleMilliseconds: 2000, longestMilliseconds: 30_000 },
  /** Between the attempts; how far each may be off, as a part of it; how long a receiver may put the next one off. */
  deliveryRetrySeconds: [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 10 * 3600],
  deliveryJitter: 0.2,
  retryAfterMilliseconds: 24 * 3600 * 1000,
  attemptsPerDelivery: 10,
  deliveryDays: 30,
  /** Failures in a row until a receiver is left alone, for how long at first and at most, and what one probe may take. */
  receiverFailures: 5,
  receiverPauseMilliseconds: { first: 30_000, longest: 15 * 60 * 1000 },
  receiverProbeMilliseconds: 30_000,
  /** Until a receiver that fails all the time gets nothing any more. */
  receiverFailingMilliseconds: 5 * 24 * 3600 * 1000,

  /** §6 To the event bus and the queue of deliveries: what one call takes, and how long it may take. */
  outbound: {
    entriesPerCall: 10,
    /** The bus takes 256 KB of entries with all that is around them. */
    bytesPerCall: 200_000,
    /** A queue keeps no message back for longer. */
    delaySeconds: 900,
    attempts: 3,
    connectMilliseconds: 1000,
    callMilliseconds: 5000,
  },
  /** §6 What is to leave the service is sent again when the relay has not taken it away by then. */
  resendAfterMilliseconds: 2 * 60 * 1000,
} as const;
