/** Limits for reading one archive: a trace or a report. */
export const ARCHIVE_LIMITS = {
  bytes: 256 * 1024 * 1024,
  entries: 20_000,
  /** Maximum total size of the inflated events. Screenshots and page resources are never inflated. */
  inflatedBytes: 256 * 1024 * 1024,
  /**
   * Maximum inflation ratio of all files together, which applies only above `fromBytes` of inflated data. Real events
   * and reports reach a ratio of about 40.
   */
  inflation: { times: 200, fromBytes: 8 * 1024 * 1024 },
  /** Maximum size of one event. Longer events are skipped. */
  lineBytes: 256 * 1024,
  /** Maximum number of events in all files together. A test that takes an hour has about ten thousand. */
  lines: 250_000,
  milliseconds: 20_000,
} as const;
