/** Limits of the read model. */
export const ANALYTICS_LIMITS = {
  /** Names that share a row, and the packed bytes after which the next row begins. */
  namesPerRow: 1000,
  namesRowBytes: 200_000,
  /** Names with more bytes lose annotations, then tags. */
  nameBytes: 32_000,
  /** Series of one test. Later ones lose annotations, then tags. */
  seriesPerTest: 16,
  /** Series of a project. Executions of further tests count in spec files, insights and errors only. */
  seriesPerProject: 200_000,
  /** Instances of a run that are read at once. */
  instancesAtOnce: 16,
} as const;
