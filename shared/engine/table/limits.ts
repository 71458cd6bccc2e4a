/** Limits of the table. */
export const TABLE_LIMITS = {
  /** A sweep of due rows: rows per page, and the time it reserves to finish a page. */
  sweepPage: 100,
  sweepMarginMilliseconds: 10_000,
  /** The size of one part of a value. DynamoDB refuses items above 400 KB. Parts stay below that with a margin. */
  itemPartBytes: 350_000,
  /** Timeouts of a call. A request has 28 seconds, so a second attempt fits. */
  connectMilliseconds: 2000,
  callMilliseconds: 10_000,
  /** Maximum attempts of an optimistic write. */
  optimisticAttempts: 20,
} as const;
