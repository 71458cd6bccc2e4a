import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';

/** §6 Limits of webhooks. */
export const WEBHOOK_LIMITS = {
  webhookLabelCharacters: 255,
  webhooksPerProject: 20,
  /** How long a replaced secret still signs requests, and the maximum number of secrets that sign at the same time. */
  replacedSecretMilliseconds: DAY_MILLISECONDS,
  signingSecrets: 4,
  /** A job counts as lost if it is this much overdue: by then, the queue has moved it to its dead-letter queue. */
  lostJobMilliseconds: 15 * 60 * 1000,

  /** §6 Limits of a webhook's headers, when saved and when sent. */
  webhookHeadersCharacters: 4096,
  webhookHeaders: 20,
  signingSecretBytes: 32,

  /** The number of days for which deliveries are kept. */
  deliveryDays: 30,

  /**
   * §6 Limits of sending. `callsPerOrganization` and `callsPerReceiver` limit concurrent calls of the sender function.
   * By default, at most ten calls run in total, each with up to ten deliveries. The lease with which a call reserves
   * its slot lasts longer than the longest delivery. The first wait of a job over the limit takes up to
   * `overCapSeconds[0]` seconds, the second up to `overCapSeconds[1]`. The last value applies to all further waits.
   */
  sending: {
    callsPerOrganization: 3,
    callsPerReceiver: 2,
    leaseMilliseconds: 15_000,
    overCapSeconds: [1, 2, 4],
  },
} as const;
