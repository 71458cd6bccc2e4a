/** §8 Limits of the answers of analytics. */
export const METRIC_LIMITS = {
  /** §8 Pages of lists. */
  page: { minimum: 1, maximum: 50, default: 50 },
  errorsPage: { minimum: 1, maximum: 100, default: 50 },
  lastPage: 1_000_000,
  /** The most parts of a trend. A period of up to so many days has a part for each day. */
  trendParts: 16,
  /** The longest range in days with buckets of one hour. */
  hourlyRangeDays: 31,
  /** The keys with a line of their own in the timeline of errors. */
  timelineKeys: { minimum: 1, maximum: 50, default: 5 },
  searchCharacters: 250,
  /** Characters of one value of a filter. A client may join several values to one. */
  filterCharacters: 4096,
  metricSettingsCharacters: 1024,
  minimumExecutions: 1_000_000_000,
  /** Insights count runs in progress that are younger than this, in milliseconds. */
  openRunMilliseconds: 48 * 3_600_000,
  /** The rows of a CSV file. More would not fit into one answer. */
  csvRows: 10_000,
} as const;
