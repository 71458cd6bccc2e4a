/** Limits of a trace analysis. */
export const TRACE_LIMITS = {
  /** Maximum number of object members and array elements in one event. Larger events are skipped. */
  lineValues: 10_000,
  consoleEntries: 100,
  networkRequests: 200,
  /** Of all console entries together, and of all requests together: one database item stores both lists. */
  consoleCharacters: 60_000,
  networkCharacters: 60_000,
  textCharacters: 2048,
  urlCharacters: 1024,
  /** Maximum characters of an HTTP method, or of the type of a console entry. */
  wordCharacters: 32,
  /** Maximum number of lines that are not valid events. A machine that crashes leaves one unfinished line. */
  malformedLines: 10_000,
} as const;
