/** Limits of runs and of their deletion. */
export const LIFECYCLE_LIMITS = {
  /** The most groups that a run may have. One transaction ends a run with the events of all its groups. */
  groupsPerRun: 1000,
  /** The number of groups that one transaction starts. It takes at most 100 rows. */
  groupsPerTransaction: 80,
  machinesPerReset: 63,
  /** Runs that one error message names. */
  runsPerRefusal: 20,
  /** Time limit of a request that deletes a run, and the time that it reserves for one spec file. */
  deletionMilliseconds: 20_000,
  deletionMarginMilliseconds: 5000,
  /** How long machines of a deleted run cannot create it again. */
  deletedBuildMilliseconds: 24 * 60 * 60 * 1000,
  /** Pause before a cancelled or timed-out run is counted again. No request lasts longer. */
  settlePauseMilliseconds: 60_000,
  /** Failed tests per read when deciding whether to cancel a run. */
  failuresPerRead: 1000,
} as const;
