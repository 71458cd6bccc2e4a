/** Limits of the read model. */
export const ANALYTICS_LIMITS = {
  /** Names that share a row, and the packed bytes after which the next row begins. */
  namesPerRow: 1000,
  namesRowBytes: 150_000,
  /** Lists of names that a container remembers. */
  rememberedLists: 20,
  /** Names with more bytes lose annotations, then tags. */
  nameBytes: 32_000,
  /** Series of one test. Later ones lose annotations, then tags. */
  seriesPerTest: 16,
  /** Series of a project. Executions of further tests count in spec files, insights and errors only. */
  seriesPerProject: 200_000,
  /** Runs and spans that a sweep holds in memory at once. */
  jobsAtOnce: 3,
  /** Instances of a run that are read at once. */
  instancesAtOnce: 16,
  /** A set of run-groups gets a summary of its own if it has this many of them in a span. */
  entriesPerCut: 3,
  /** Levels above the leaves. The longest span has 64 days. */
  levels: 4,
  /** A leaf is merged when this many runs are pending, or at its end. */
  pendingRuns: 8,
  /** Pending runs of one leaf that an answer adds. More of them mean that merges fail, which raises an alarm. */
  addedPendingRuns: 200,
  /** Merges of one leaf are this far apart. */
  mergeEveryMilliseconds: 60_000,
  mergeAfterEndMilliseconds: 10 * 60_000,
  /** A level is written this long after its end, because its last runs end later. */
  levelPauseMilliseconds: 6 * 3_600_000,
  /** Summaries without a root are removed after this time, and replaced ones when no reader reads them any more. */
  abandonedMilliseconds: 3_600_000,
  supersededMilliseconds: 15 * 60_000,
  /** Times after the end of a cancelled or timed-out run at which the read model looks for late results. */
  recheckMilliseconds: [5 * 60_000, 3_600_000, 12 * 3_600_000],
  /** Runs that an audit reads at once, and their age in the nightly one. */
  runsPerPage: 100,
  auditedMilliseconds: 48 * 3_600_000,
  auditMarginMilliseconds: 60_000,
  /** The longest period of a question, and the packed bytes that one answer reads. */
  days: 400,
  bytesPerAnswer: 32 * 1024 * 1024,
  /** Attempts of an answer whose summaries were replaced meanwhile. */
  readAttempts: 3,
  /** The terms that a run adds of each type, and the characters of each. */
  termsPerRun: 500,
  termCharacters: 256,
} as const;
