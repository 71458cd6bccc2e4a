/** Limits of orchestration sessions. */
export const ORCHESTRATION_LIMITS = {
  /** The largest number of spec files of a batch. */
  filesPerBatch: 20,
  batchesPerPage: 50,
  /** The number of different suites of a session, which its row lists. */
  plansPerSession: 50,
  /** The history that predicts durations. */
  historyMilliseconds: 30 * 24 * 3600 * 1000,
  /** The expected duration of a test if the project has no history. Only the order matters then. */
  millisecondsPerTest: 1000,
  /** A machine is dead after this silence. The expected duration of its longest spec file is added. */
  silenceMilliseconds: 2 * 60_000,
  /** The pause between two searches for silent machines. */
  lookMilliseconds: 20_000,
  /** Batches that one transaction gives back. */
  batchesPerTransaction: 50,
  /** A request that gives batches back lasts no longer than this. Another one may then continue. */
  givingBackMilliseconds: 60_000,
} as const;
