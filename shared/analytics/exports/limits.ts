/** Limits of exports. */
export const EXPORT_LIMITS = {
  /** A row group ends at this many executions, or about this many characters. Only one is in memory at a time. */
  rowsPerGroup: 50_000,
  charactersPerGroup: 32_000_000,
  /** Maximum length of an exported error message. The message is masked before it is cut. */
  messageCharacters: 1000,
  /** Number of runs that are listed at once. */
  runsPerPage: 100,
  /** How long after its end a day is exported at the earliest. By then, its last leaf span has been merged. */
  pauseMilliseconds: 3 * 3_600_000,
  /** How long before its timeout an invocation stops. */
  marginMilliseconds: 15_000,
} as const;
