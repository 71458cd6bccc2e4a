/** Limits of orchestration sessions. */
export const ORCHESTRATION_LIMITS = {
  /** Maximum length of a machine id in an audit record. Longer ids are truncated. */
  auditedMachineCharacters: 64,
  /** Maximum number of spec files per batch. If a machine asks for more, it gets this many. */
  filesPerBatch: 20,
  batchesPerPage: 50,
  /** Their number is limited, because the row of the session lists all of them. */
  plansPerSession: 50,
  /** The number of shards of a plan, and of the units that it divides among them. Their shards are stored in one row. */
  shardsPerPlan: 1000,
  unitsPerPlan: 10_000,
  /**
   * Limited, because some requests read all machines (about 300 bytes each). The largest matrix of a CI system has 256
   * jobs, so even a build of that size can replace all of its machines.
   */
  machinesPerSession: 1000,
  /** How far back recorded durations are used to predict new ones. */
  historyMilliseconds: 30 * 24 * 3600 * 1000,
  /** Equals the maximum inactivity timeout, because no run waits longer for a report. */
  longestFileMilliseconds: 12 * 3600 * 1000,
  /** Without any history. The value only sorts spec files, and determines when a silent machine counts as dead. */
  millisecondsPerTest: 1000,
  /** A silent machine counts as dead this long after its spec files and its current test should have ended. */
  silenceMilliseconds: 2 * 60_000,
  /** The longest expected duration of a test, as a multiple of the mean duration of the tests in its spec file. */
  longTestFactor: 3,
  /** How long `pwc-p` waits before each retry of a refused request. */
  pausesMilliseconds: [3000, 15_000, 30_000],
  /** Minimum time between two searches for machines that stopped reporting. Retried requests search at any time. */
  lookMilliseconds: 20_000,
  /** Maximum number of batches that one transaction frees for other machines. */
  batchesPerTransaction: 50,
  /** How long one request may take to free the batches of a machine. After that, another request may take over. */
  givingBackMilliseconds: 60_000,
} as const;
