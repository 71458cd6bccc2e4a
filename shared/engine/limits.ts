/** Limits of concurrent work. */
export const CALL_LIMITS = {
  /** Concurrent calls of one request to the table or the bucket, where no batch call exists. */
  callsAtOnce: 16,
} as const;
