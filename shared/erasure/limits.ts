export const ERASURE_LIMITS = {
  /**
   * What was read before the first pass may be written until then: the longest function runs 15 minutes, and summaries
   * that it abandons are removed after an hour.
   */
  passPauseMilliseconds: 80 * 60 * 1000,
  /** The first pass replaces what is stored, and the second one what was being written meanwhile. */
  passes: 2,
  /** A step stops when less time than this is left. */
  marginMilliseconds: 20_000,
  /** Rows of a page: runs, deliveries and audit records, and rows that contain more. */
  rowsPerPage: 100,
  runsPerPage: 25,
  spansPerPage: 25,
  /** How many names of the person are remembered while the work is under way. */
  foundNames: 100,
} as const;
