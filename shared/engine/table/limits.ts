/** Limits of the table. */
export const TABLE_LIMITS = {
  /** Limits of a sweep of due rows: rows per page, and the time that the sweep reserves to finish a page. */
  sweepPage: 100,
  sweepMarginMilliseconds: 10_000,
  /**
   * Maximum size of one part of a value that is split into several items. DynamoDB refuses items above 400 KB, so this
   * leaves a margin.
   */
  itemPartBytes: 350_000,
  /** Timeouts of a call to DynamoDB. A request may take 28 seconds in total, so there is time for a second attempt. */
  connectMilliseconds: 2000,
  callMilliseconds: 10_000,
  /** Maximum attempts of a write with optimistic concurrency control. */
  optimisticAttempts: 20,
} as const;
