/** Limits of one call to Parameter Store. */
export const SECRET_LIMITS = {
  attempts: 3,
  callMilliseconds: 5000,
  /** Maximum size of a standard parameter. */
  valueBytes: 4096,
} as const;
