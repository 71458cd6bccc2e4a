/** §8 Limits of analytics responses. */
export const METRIC_LIMITS = {
  /** §8 Page sizes of lists. */
  page: { minimum: 1, maximum: 50, default: 50 },
  errorsPage: { minimum: 1, maximum: 100, default: 50 },
  lastPage: 1_000_000,
  /** Maximum length of the text of an error to search for. */
  errorTextCharacters: 4000,
  /** How many runs and tests an error names. */
  namedOfError: 5,
  /** A trend of up to this many days has one part per day. The parts of a longer trend are longer than a day. */
  trendParts: 16,
  /** Longest date range that can have hourly resolution, in days. */
  hourlyRangeDays: 31,
  /** Number of errors in the timeline, which shows only the most frequent ones. */
  timelineKeys: { minimum: 1, maximum: 50, default: 5 },
  searchCharacters: 250,
  /** Maximum length of a filter value. It is large because some clients join several values into one. */
  filterCharacters: 4096,
  metricSettingsCharacters: 1024,
  minimumExecutions: 1_000_000_000,
  /** Maximum age of a run in progress that insights count. */
  openRunMilliseconds: 48 * 3_600_000,
  /** Maximum number of rows in a CSV file. More rows would not fit into one response. */
  csvRows: 10_000,
} as const;
