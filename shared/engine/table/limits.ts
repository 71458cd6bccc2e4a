/** Limits of the table. */
export const TABLE_LIMITS = {
  /** Rows per page of a sweep of due rows, and the time that it reserves to finish a page. */
  sweepPage: 100,
  sweepMarginMilliseconds: 10_000,
  /** A part of a value in several items. DynamoDB refuses items above 400 KB, so this leaves a margin. */
  itemPartBytes: 350_000,
  /** Timeouts of a call to DynamoDB. A request may take 28 seconds in total, so there is time for a second attempt. */
  connectMilliseconds: 2000,
  callMilliseconds: 10_000,
  /** Attempts of a call that is throttled, or gets no answer. */
  callAttempts: 5,
  optimisticAttempts: 20,
} as const;
