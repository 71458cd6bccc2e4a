/** §5.2 Limits of what Rundown does by itself with issues. */
export const AUTOMATION_LIMITS = {
  /** The settings. */
  passes: { minimum: 1, maximum: 50 },
  failures: { minimum: 1, maximum: 10 },
  perDay: { minimum: 1, maximum: 20, default: 5 },

  /** Looks at ended runs begin at multiples of this time. */
  runMilliseconds: 5 * 60_000,
  /** How long an ended run waits for a tracker that does not work. */
  runDays: 7,
  /** The maximum number of ended runs and of issues whose state is read in one pass over a project. The rest waits. */
  runsPerPass: 20,
  statesPerPass: 50,
  /** The number of requests for states that one project has in progress. */
  statesAtOnce: 4,
  /** The state of an issue is read while its test failed or was flaky in this many days. */
  followedDays: 30,
  /** The maximum number of executions that are read for each issue. */
  executions: 100,
  /** The maximum number of failing tests, and of flaky tests, of a run for which an issue may be created. */
  candidates: 50,
  /** How long a test whose issue was unlinked or closed gets no other one while it keeps failing. */
  rememberedDays: 30,

  /** A pass over a project is not repeated by another call in this time. */
  leaseMilliseconds: 4 * 60_000,
  /** No request to a tracker begins later than this in a pass over a project. */
  projectMilliseconds: 20_000,
  /** The time that one call of the schedule gives to the projects of one organization. The rest waits. */
  organizationMilliseconds: 60_000,
  /** A pass over a project begins only if the function has this much time left. */
  marginMilliseconds: 60_000,
} as const;
