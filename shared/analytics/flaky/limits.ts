import { RESULT_LIMITS } from '#shared/results/limits.ts';

/**
 * Thresholds for detecting flaky tests. They were tuned on generated test histories in which the flaky tests are known.
 */
export const FLAKY_LIMITS = {
  windowDays: RESULT_LIMITS.flaky.days,
  recoveryDays: 7,
  /** The z-score of a one-sided 95% confidence bound. */
  z: 1.645,
  flaky: { events: RESULT_LIMITS.flaky.events, score: 0.005 },
  /** Number of recent executions without any flaky result after which a test counts as recovered. */
  recoveredExecutions: 20,
  brokenScore: 0.8,
  /**
   * If a run has at least `tests` tests and more than `share` of them failed, the cause is assumed to be the
   * environment, not the tests.
   */
  failedRun: { tests: 20, share: 0.5 },
  /**
   * If two runs differ in at least `flips` tests and in more than `share` of the tests that both executed, their
   * environments are assumed to differ.
   */
  differingRuns: { flips: 10, share: 0.05 },
  /** Maximum number of run groups to compare, newest commits first. */
  comparedGroups: 60,
  /**
   * To find the last flaky execution of a test, at most this many of its latest executions that were flaky or did not
   * pass are read.
   */
  lookedUp: 20,
} as const;
