/** Limits of the read model. */
export const ANALYTICS_LIMITS = {
  /** Maximum number of names per row, and the compressed size at which a row is full. */
  namesPerRow: 1000,
  namesRowBytes: 150_000,
  /** Maximum number of name lists that a Lambda container caches. */
  rememberedLists: 20,
  /** Maximum size of the name of a series. A longer name is stored without annotations and tags. */
  nameBytes: 32_000,
  /** Maximum number of series per test. Further series lose their annotations, beyond twice this number also tags. */
  seriesPerTest: 16,
  /** Maximum number of series per project. Executions of others count only in metrics of spec files and insights. */
  seriesPerProject: 200_000,
  /** Maximum number of runs and spans that a sweep holds in memory at the same time. */
  jobsAtOnce: 3,
  /** Maximum number of instances of a run that are read concurrently. */
  instancesAtOnce: 16,
  /** Minimum number of run groups in a set for which a summary is stored. */
  entriesPerCut: 3,
  /** Number of levels above the leaves in the tree of time spans. The longest span lasts 64 days. */
  levels: 4,
  /** A leaf span is merged before its end if a correction or at least this many of its runs are pending. */
  pendingRuns: 8,
  /** Maximum pending runs per leaf span in a query. More mean that merges keep failing, which raises an alarm. */
  addedPendingRuns: 200,
  /**
   * Minimum intervals between merges of a leaf span. The first applies while a correction or at least `pendingRuns`
   * runs are pending. The second applies to all other merges, which wait for the end of the span.
   */
  mergeEveryMilliseconds: 60_000,
  mergeAfterEndMilliseconds: 10 * 60_000,
  /** Delay of a merge after the end of a larger span, because runs that began before the end may be in progress. */
  levelPauseMilliseconds: 6 * 3_600_000,
  /**
   * Delays before summaries are removed. The first applies to summaries of a merge that was never completed. The second
   * applies to replaced summaries, which queries may still be reading.
   */
  abandonedMilliseconds: 3_600_000,
  supersededMilliseconds: 15 * 60_000,
  /** Times after its first facts at which a cancelled or timed-out run is checked for late results. */
  recheckMilliseconds: [5 * 60_000, 3_600_000, 12 * 3_600_000],
  /** Limits of an audit: runs per page, how far back it looks at night, and how long before its timeout it stops. */
  runsPerPage: 100,
  auditedMilliseconds: 48 * 3_600_000,
  auditMarginMilliseconds: 60_000,
  /** Longest period of a query in days, and maximum compressed bytes that one query may read. */
  days: 400,
  bytesPerAnswer: 32 * 1024 * 1024,
  /** Maximum attempts of a query if its summaries are replaced while they are being read. */
  readAttempts: 3,
  /** Maximum number of terms per type that a run adds for filters to suggest, such as tags. */
  termsPerRun: 500,
} as const;
