/** Numbers that control how requests and stored bytes are counted and limited. */
export const USAGE_LIMITS = {
  /** One in this many requests is counted for all of them, with two writes: 0.06 write units per request. */
  sampleEvery: 32,
  /**
   * The rate of a key is counted in windows of this length. A request that is refused at the start of a window succeeds
   * at the last retry of the published reporter, which retries after 3, 15 and 30 seconds.
   */
  windowMilliseconds: 30_000,
  /** How long an instance of a function relies on the counts that it has read. */
  freshMilliseconds: 10_000,
  /** Results are recorded until the requests of the month reach the limit multiplied by this factor. */
  recordingReserve: 1.25,
  /** Admins are warned when this fraction of a limit is used. */
  warnFrom: 0.8,
  /** The maximum number of credentials whose counts one instance of a function keeps. */
  cachedCredentials: 1000,
  /** How long the counts of a month are kept, in days. */
  keptDays: 400,
  /** A measurement of stored bytes ends when its function has less time left than this. */
  measurementMarginMilliseconds: 10_000,
  /** An organization is measured again this long after its last measurement began: in the next night. */
  measureAfterMilliseconds: 12 * 3_600_000,
  /** A measurement that did not end for this long raises an alarm. Until then, it continues each night. */
  lateMeasurementMilliseconds: 48 * 3_600_000,
} as const;
