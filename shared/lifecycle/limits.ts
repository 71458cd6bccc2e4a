import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';

/** Limits of runs and of their deletion. */
export const LIFECYCLE_LIMITS = {
  /** Limited, because one transaction ends a run and writes the events of all its groups. */
  groupsPerRun: 1000,
  /** The maximum number of groups that one transaction starts. A transaction can contain at most 100 rows. */
  groupsPerTransaction: 80,
  machinesPerReset: 63,
  /** The maximum number of failed CI jobs that a run names. A run with more counts as failed in all of its jobs. */
  failedJobs: 60,
  /** The maximum number of runs that an error message names. */
  runsPerRefusal: 20,
  /** The time of a request that deletes a run, and the time that must remain before the next data is deleted. */
  deletionMilliseconds: 20_000,
  deletionMarginMilliseconds: 5000,
  /** Runs of a deleted project that one pass hides, so that the sweep keeps up, and how many at the same time. */
  runsPerPass: 500,
  runsHiddenAtOnce: 4,
  /** How many projects and members of a deleted organization a pass handles. */
  projectsPerPass: 100,
  membersPerPass: 500,
  /** For this long after the deletion of a run, machines of its build cannot create the run again. */
  deletedBuildMilliseconds: DAY_MILLISECONDS,
  /** The pause before results of a cancelled or timed-out run are counted again. No request lasts longer. */
  settlePauseMilliseconds: 60_000,
  /** How many tests that several sources reported a run names, and in how many spec files it looks for them. */
  repeatedTestsNamed: 20,
  furtherInstancesRead: 1000,
  /** For this long after its last end, a run accepts late machines, jobs and files of its build. */
  reopenMilliseconds: DAY_MILLISECONDS,
  /** How long a run that a streamed test reopened must be silent before it ends again. */
  lingerMilliseconds: 60_000,
  /** Failed tests per query, when they are counted to decide whether to cancel a run. */
  failuresPerRead: 1000,
} as const;
