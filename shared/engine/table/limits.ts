/** Limits of the table. */
export const TABLE_LIMITS = {
  /** Limits of a sweep of due rows: rows at once, and time to finish them. */
  sweepPage: 100,
  sweepMarginMilliseconds: 10_000,
  /** DynamoDB refuses items above 400 KB. Parts are smaller for safety. */
  itemPartBytes: 350_000,
  /** Time limits of a call. A request has 28 seconds, so that a second attempt fits. */
  connectMilliseconds: 2000,
  callMilliseconds: 10_000,
  /** The number of attempts of an optimistic write. */
  optimisticAttempts: 20,
} as const;
