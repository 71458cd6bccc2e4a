/** Limits of notifications. */
export const NOTIFICATION_LIMITS = {
  urlCharacters: 2048,
  repositoryCharacters: 140,
  contextCharacters: 100,
  /** The length of a credential. Parameter Store keeps 4,096 bytes. */
  credentialCharacters: 4096,
  secretNameCharacters: 24,
  markerKeyCharacters: 32,

  /** The days for which the log of deliveries and the state of targets are kept. */
  deliveryDays: 30,
  targetDays: 90,
  /** No request starts later than this after the start of a delivery. Each takes at most ten seconds. */
  lastRequestMilliseconds: 20_000,
  /** The lease of a target, which outlives the longest delivery. */
  leaseMilliseconds: 40_000,
  /** The delay before a delivery checks again whether its target is free. */
  busyMilliseconds: 3000,
  /** Credentials that one container keeps in memory. */
  cachedSecrets: 200,
  sending: { callsPerOrganization: 3, callsPerReceiver: 2, overCapSeconds: [1, 2, 4] },

  /**
   * The lengths of texts for GitHub. GitHub refuses longer texts: 140 characters of a status, and 65,536 of a comment.
   */
  statusCharacters: 140,
  commentCharacters: 60_000,
  markerCharacters: 32,
  /** Comments of a pull request that are searched for our own, and the longest answer in bytes. */
  commentPages: 20,
  commentsPerPage: 50,
  answerBytes: 8_000_000,
  /** Characters of GitHub's error message that the log keeps. */
  messageCharacters: 200,
  /** The pause after a refusal by a secondary rate limit that names no time. */
  secondaryLimitSeconds: 60,

  /** Tests of each part of a comment, and of a message in a channel. */
  commentTests: 20,
  channelTests: 10,
  slackCharacters: 3500,
  titleCharacters: 200,
  errorCharacters: 160,
  nameCharacters: 80,
} as const;
