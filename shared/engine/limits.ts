/** Limits of concurrent work. */
export const CALL_LIMITS = {
  /** How many calls `mapConcurrently` makes at the same time, unless the caller sets another number. */
  callsAtOnce: 16,
} as const;
