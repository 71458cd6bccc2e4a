/** Limits of reading one trace. */
export const ARCHIVE_LIMITS = {
  bytes: 256 * 1024 * 1024,
  entries: 20_000,
  /** Bytes of all events, once inflated. Pictures and files of the page are not inflated. */
  inflatedBytes: 256 * 1024 * 1024,
  /** Maximum inflation of all files together, above a harmless size. Real events and reports inflate up to about 40 times. */
  inflation: { times: 200, fromBytes: 8 * 1024 * 1024 },
  /** Bytes of one event. Longer events are skipped. */
  lineBytes: 256 * 1024,
  /** Events of all files together. A test of an hour has some ten thousand. */
  lines: 250_000,
  milliseconds: 20_000,
} as const;
