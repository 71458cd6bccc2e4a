import { RESULT_LIMITS } from '#shared/results/limits.ts';

/** Numbers of the rules about flaky tests. They were chosen with generated histories whose truth was known. */
export const FLAKY_LIMITS = {
  windowDays: RESULT_LIMITS.flaky.days,
  recoveryDays: 7,
  /** The one-sided bound at 95 %. */
  z: 1.645,
  flaky: { events: RESULT_LIMITS.flaky.events, score: 0.005 },
  /** Executions without an event after which a test has recovered. */
  recoveredExecutions: 20,
  brokenScore: 0.8,
  /** A run in which more of its tests failed says something about the environment. */
  failedRun: { tests: 20, share: 0.5 },
  /** Two runs that differ in more tests than this say something about the environment, too. */
  differingRuns: { flips: 10, share: 0.05 },
  /** Groups of runs that are compared, newest first. */
  comparedGroups: 60,
  /** The latest executions of a shown test in which its last event is looked up. */
  lookedUp: 20,
} as const;
