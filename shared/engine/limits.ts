/** Limits of concurrent work. */
export const CALL_LIMITS = {
  /** The number of concurrent calls of one request to the table or the bucket, if a batch does not fit. */
  callsAtOnce: 16,
} as const;
