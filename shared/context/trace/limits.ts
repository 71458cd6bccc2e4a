/** Limits of a trace analysis. */
export const TRACE_LIMITS = {
  /** The number of members and elements of one event. Larger events are skipped. */
  lineValues: 10_000,
  consoleEntries: 100,
  networkRequests: 200,
  /** Characters of all console entries together, and of all network requests together. One item stores both. */
  consoleCharacters: 60_000,
  networkCharacters: 60_000,
  textCharacters: 2048,
  urlCharacters: 1024,
  /** Characters of an HTTP method, or of the type of a console entry. */
  wordCharacters: 32,
  /** Lines that are not events. A machine that died leaves one. */
  malformedLines: 10_000,
} as const;
