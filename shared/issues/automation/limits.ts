/** §5.2 Limits of what Rundown does automatically with issues. */
export const AUTOMATION_LIMITS = {
  /** The values that the settings accept. */
  passes: { minimum: 1, maximum: 50 },
  failures: { minimum: 1, maximum: 10 },
  perDay: { minimum: 1, maximum: 20, default: 5 },

  /** Passes that look at ended runs are due at multiples of this time. */
  runMilliseconds: 5 * 60_000,
  /** How often a deleted project is looked at, which does nothing until somebody restores it. */
  deletedMilliseconds: 60 * 60_000,
  /** How long an ended run waits while a tracker does not work. After this time, the run is not looked at anymore. */
  runDays: 7,
  /** Per pass over a project: the ended runs, and the issues whose state is read. The rest waits. */
  runsPerPass: 20,
  statesPerPass: 50,
  /** The maximum number of states that one pass reads at the same time. */
  statesAtOnce: 4,
  /**
   * The state of an issue is read until this many days after its test last failed or was flaky. If the test is
   * quarantined because of the issue, the state is also read later.
   */
  followedDays: 30,
  /** The maximum number of executions that are read in one pass for each test that has an issue. */
  executions: 100,
  /** Read per flaky test to find out whether it is known to be flaky. Of each, the run is read, too. */
  flakyExecutions: 10,
  /** The maximum number of failing tests, and of flaky tests, of a run for which an issue may be created. */
  candidates: 50,
  /** A test gets no further issue within this time after the last one, even if that one was closed. */
  againDays: 14,
  /** If somebody unlinks an issue of automation, the same failures cause no new issue within this time. */
  rememberedDays: 30,

  /** How long a pass over a project keeps other calls from looking at the project. */
  leaseMilliseconds: 4 * 60_000,
  /** A pass over a project begins no work with a tracker after this time. */
  projectMilliseconds: 20_000,
  /** The time that one call of the schedule gives to the projects of one organization. The rest waits. */
  organizationMilliseconds: 60_000,
  /** A pass over a project begins only if the function has this much time left. */
  marginMilliseconds: 60_000,
} as const;
