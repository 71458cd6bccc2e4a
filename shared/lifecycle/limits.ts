/** Limits of runs and of their deletion. */
export const LIFECYCLE_LIMITS = {
  /**
   * The most groups that a run may have. The limit is needed because one transaction ends a run and writes the events
   * of all its groups.
   */
  groupsPerRun: 1000,
  /** The number of groups that one transaction starts. A transaction can contain at most 100 rows. */
  groupsPerTransaction: 80,
  machinesPerReset: 63,
  /** The most runs that an error message names. */
  runsPerRefusal: 20,
  /**
   * The time limit of a request that deletes a run, and the part of it that must be left to start on another spec file.
   */
  deletionMilliseconds: 20_000,
  deletionMarginMilliseconds: 5000,
  /** How long after its deletion a run cannot be created again by machines of the same build. */
  deletedBuildMilliseconds: 24 * 60 * 60 * 1000,
  /** The pause before the results of a cancelled or timed-out run are counted again. No request lasts longer. */
  settlePauseMilliseconds: 60_000,
  /** The number of failed tests per read when deciding whether to cancel a run. */
  failuresPerRead: 1000,
} as const;
