/** Bounds of the recording protocols that the specification leaves open. */
export const RECORDING_LIMITS = {
  /** A machine that was killed while it stored a suite holds up the other machines for this long. */
  startLockMilliseconds: 10_000,
  /** Looks of a waiting machine at the lock, in about 15 seconds. Then it stores the suite itself. */
  startLockRounds: 15,
} as const;
