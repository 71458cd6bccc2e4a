/** Limits of the read model. */
export const ANALYTICS_LIMITS = {
  /** Names per row, and the compressed size at which a row is full. */
  namesPerRow: 1000,
  namesRowBytes: 150_000,
  /** Lists of names that a container caches. */
  rememberedLists: 20,
  /** A longer name of a series drops its annotations and tags. */
  nameBytes: 32_000,
  /** Series per test. Later ones drop their annotations, and beyond twice this number also their tags. */
  seriesPerTest: 16,
  /** Series per project. Executions of further tests count in spec files and insights only. */
  seriesPerProject: 200_000,
  /** Runs and spans that a sweep holds in memory at once. */
  jobsAtOnce: 3,
  /** Instances of a run that are read at once. */
  instancesAtOnce: 16,
  /** Run-groups that a set must have in a span to get a summary of its own. */
  entriesPerCut: 3,
  /** Levels above the leaves. The longest span has 64 days. */
  levels: 4,
  /** A leaf is merged when this many runs are pending, or at its end. */
  pendingRuns: 8,
  /**
   * Pending runs of one leaf that an answer adds at most. More than this means that merges keep failing, which raises
   * an alarm.
   */
  addedPendingRuns: 200,
  /** Shortest interval between urgent merges of a leaf, and between other merges after its end. */
  mergeEveryMilliseconds: 60_000,
  mergeAfterEndMilliseconds: 10 * 60_000,
  /** Delay between the end of a larger span and its merge, because its last runs end later. */
  levelPauseMilliseconds: 6 * 3_600_000,
  /**
   * Delays before summaries are removed: those that never got a root, and replaced ones, which readers may still be
   * using.
   */
  abandonedMilliseconds: 3_600_000,
  supersededMilliseconds: 15 * 60_000,
  /** Delays after the end of a cancelled or timed-out run at which it is checked for late results. */
  recheckMilliseconds: [5 * 60_000, 3_600_000, 12 * 3_600_000],
  /** Runs per page of an audit, how far back the nightly audit looks, and how long before its timeout it stops. */
  runsPerPage: 100,
  auditedMilliseconds: 48 * 3_600_000,
  auditMarginMilliseconds: 60_000,
  /** Longest period of a question in days, and the compressed bytes that one answer may read. */
  days: 400,
  bytesPerAnswer: 32 * 1024 * 1024,
  /** Attempts at an answer whose summaries are replaced while they are being read. */
  readAttempts: 3,
  /** Terms that a run adds per type, and the longest term. */
  termsPerRun: 500,
  termCharacters: 256,
} as const;
