/** Limits of notifications. */
export const NOTIFICATION_LIMITS = {
  urlCharacters: 2048,
  repositoryCharacters: 300,
  contextCharacters: 100,
  /** Of one channel: the number of its branches, and the length of their list in the form. */
  branches: 20,
  branchesCharacters: 2000,
  /** The maximum length of a credential. Parameter Store accepts up to 4,096 bytes. */
  credentialCharacters: 4096,
  secretNameCharacters: 24,
  markerKeyCharacters: 32,

  /** The number of days for which the log of deliveries and the state of targets are kept. */
  deliveryDays: 30,
  targetDays: 90,
  /** When a delivery starts its last request at the latest. Each request takes at most ten seconds. */
  lastRequestMilliseconds: 20_000,
  /** The lease of a target, which is a commit status or a comment. Longer than any delivery. */
  leaseMilliseconds: 40_000,
  /** The delay before a delivery tries again to write to a target that another delivery was writing to. */
  busyMilliseconds: 3000,
  sending: { callsPerOrganization: 3, callsPerReceiver: 2, overCapSeconds: [1, 2, 4] },

  /** GitHub refuses a status description of more than 140, and a comment of more than 65,536 characters. */
  statusCharacters: 140,
  commentCharacters: 60_000,
  markerCharacters: 32,
  /**
   * The maximum number of pages of comments on a pull request that are searched for an earlier comment of Rundown, the
   * number of comments per page, and the maximum size of a response in bytes.
   */
  commentPages: 20,
  commentsPerPage: 50,
  answerBytes: 8_000_000,
  /** The maximum number of characters of a code host's error message that are stored and shown. */
  messageCharacters: 200,

  /** The maximum number of tests in each section of a comment, and in a message to a channel. */
  commentTests: 20,
  channelTests: 10,
  /** The maximum number of problems of a run other than its tests. */
  problems: 5,
  slackCharacters: 3500,
  titleCharacters: 200,
  errorCharacters: 160,
  nameCharacters: 80,
} as const;
