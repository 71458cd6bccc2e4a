export const IDEMPOTENCY_LIMITS = {
  keyCharacters: 255,
  /** A day. */
  seconds: 24 * 60 * 60,
} as const;
