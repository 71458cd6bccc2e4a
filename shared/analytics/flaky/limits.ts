import { RESULT_LIMITS } from '#shared/results/limits.ts';

/** Thresholds that were tuned on generated test histories in which the flaky tests are known. */
export const FLAKY_LIMITS = {
  windowDays: RESULT_LIMITS.flaky.days,
  recoveryDays: 7,
  /** The z-score of a one-sided 95% confidence bound. */
  z: 1.645,
  flaky: { events: RESULT_LIMITS.flaky.events, score: 0.005 },
  /** Number of recent executions without any flaky result after which a test counts as recovered. */
  recoveredExecutions: 20,
  brokenScore: 0.8,
  /** If more than `share` of at least `tests` tests of a run failed, the cause is assumed to be the environment. */
  failedRun: { tests: 20, share: 0.5 },
  /** Runs that differ in `flips` tests, and in more than `share` of those both executed, had other environments. */
  differingRuns: { flips: 10, share: 0.05 },
  /** Maximum number of run groups to compare, newest commits first. */
  comparedGroups: 60,
  /** How many of the latest flaky or not passed executions of a test are read to find the last flaky one. */
  lookedUp: 20,
  /** How many of the latest of them count for what a test costs. */
  countedEvents: 60,
  /** How many tests, with the most evidence, are sorted by what they cost. */
  sortedByCosts: 100,
} as const;
