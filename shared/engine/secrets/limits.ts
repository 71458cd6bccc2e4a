/** Bounds of one call to Parameter Store. */
export const SECRET_LIMITS = {
  attempts: 3,
  callMilliseconds: 5000,
  /** Bytes of one standard parameter. */
  valueBytes: 4096,
} as const;
