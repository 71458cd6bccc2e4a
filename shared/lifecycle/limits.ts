/** Limits of runs and of their deletion. */
export const LIFECYCLE_LIMITS = {
  /** The number of groups of a run. One transaction ends the run with the events of all of them. */
  groupsPerRun: 1000,
  /** A transaction takes at most 100 rows. */
  groupsPerTransaction: 80,
  machinesPerReset: 63,
  /** The number of runs that one error message names. */
  runsPerRefusal: 20,
  /** The time limit of a request that deletes a run, and the time reserved for one spec file. */
  deletionMilliseconds: 20_000,
  deletionMarginMilliseconds: 5000,
  /** The time during which machines of a deleted run cannot create it again. */
  deletedBuildMilliseconds: 24 * 60 * 60 * 1000,
  /** The pause after a cancellation or a timeout. No request lasts longer. */
  settlePauseMilliseconds: 60_000,
  /** The number of failed tests that one trip reads to decide whether to cancel a run. */
  failuresPerRead: 1000,
} as const;
