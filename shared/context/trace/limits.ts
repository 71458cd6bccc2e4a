/** Limits of a trace analysis. */
export const TRACE_LIMITS = {
  /** Members and elements of one event. Larger events are skipped. */
  lineValues: 10_000,
  consoleEntries: 100,
  networkRequests: 200,
  /** All console entries together, and all network requests together. Both share an item. */
  consoleCharacters: 60_000,
  networkCharacters: 60_000,
  textCharacters: 2048,
  urlCharacters: 1024,
  /** An HTTP method, or the type of a console entry. */
  wordCharacters: 32,
} as const;
