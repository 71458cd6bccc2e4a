import { RESULT_LIMITS } from '#shared/results/limits.ts';

/** Thresholds for flaky tests, tuned on generated histories in which the flaky tests are known. */
export const FLAKY_LIMITS = {
  windowDays: RESULT_LIMITS.flaky.days,
  recoveryDays: 7,
  /** z-score of a one-sided 95 % bound. */
  z: 1.645,
  flaky: { events: RESULT_LIMITS.flaky.events, score: 0.005 },
  /** Executions without an event after which a test has recovered. */
  recoveredExecutions: 20,
  brokenScore: 0.8,
  /** If more than `share` of at least `tests` tests of a run failed, its environment failed and not the tests. */
  failedRun: { tests: 20, share: 0.5 },
  /** Two runs that differ in `flips` or more tests, and in more than `share` of them, had different environments. */
  differingRuns: { flips: 10, share: 0.05 },
  /** Run-groups that are compared at most, newest commits first. */
  comparedGroups: 60,
  /** How many of the latest notable executions of a shown test are searched for its last event. */
  lookedUp: 20,
} as const;
