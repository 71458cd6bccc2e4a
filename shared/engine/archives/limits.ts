/** Limits for reading an archive: a trace or a report. `shared/reports/limits.ts` has further limits of reports. */
export const ARCHIVE_LIMITS = {
  bytes: 256 * 1024 * 1024,
  entries: 20_000,
  /**
   * Maximum total size of the inflated events of a trace, or of one inflated file of a report. The screenshots and page
   * resources in a trace are never inflated.
   */
  inflatedBytes: 256 * 1024 * 1024,
  /** Maximum ratio of all files, above `fromBytes` of inflated data. Real events and reports reach about 40. */
  inflation: { times: 200, fromBytes: 8 * 1024 * 1024 },
  /** Longer events of a trace are skipped. */
  lineBytes: 256 * 1024,
  /** Events of a trace. A test that takes an hour has about ten thousand. */
  lines: 250_000,
  /** Time limit for reading a trace. It does not apply to reports. */
  milliseconds: 20_000,
} as const;
