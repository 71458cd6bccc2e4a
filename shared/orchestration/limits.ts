/** Limits of orchestration sessions. */
export const ORCHESTRATION_LIMITS = {
  /** Characters of a machine id that an audit record keeps. */
  auditedMachineCharacters: 64,
  /** Spec files per batch. */
  filesPerBatch: 20,
  batchesPerPage: 50,
  /** Different suites of a session. Its row lists them. */
  plansPerSession: 50,
  /**
   * Machines that join a session. Some requests read all of them (about 300 bytes per machine). The largest matrix of a
   * CI system has 256 jobs; a suite of several hundred machines may replace each of them once.
   */
  machinesPerSession: 1000,
  /** History from which durations are predicted. */
  historyMilliseconds: 30 * 24 * 3600 * 1000,
  /** Longest expected duration of a spec file. No run waits longer for a report than the longest inactivity timeout. */
  longestFileMilliseconds: 12 * 3600 * 1000,
  /** The expected duration of a test if the project has no history. Only the order matters then. */
  millisecondsPerTest: 1000,
  /** A machine counts as dead this long after its spec files, or a long test, should have ended. */
  silenceMilliseconds: 2 * 60_000,
  /** A test may last this many times as long as the mean test of its spec file. */
  longTestFactor: 3,
  /** Pauses of `pwc-p` before it retries a refused request. */
  pausesMilliseconds: [3000, 15_000, 30_000],
  /** Pause between two searches for silent machines. */
  lookMilliseconds: 20_000,
  /** Batches that one transaction gives back. */
  batchesPerTransaction: 50,
  /** A request that gives batches back lasts no longer than this. Another one may then continue. */
  givingBackMilliseconds: 60_000,
} as const;
