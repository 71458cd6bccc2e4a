/** Limits of concurrent work. */
export const CALL_LIMITS = {
  /**
   * Maximum number of concurrent calls that one request makes to the table or the bucket if there is no suitable batch
   * call.
   */
  callsAtOnce: 16,
} as const;
