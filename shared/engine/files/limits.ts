/** Limits of files in the bucket. */
export const FILE_LIMITS = {
  uploadUrlSeconds: 3600,
  /** Requests until a call to the store fails. */
  attempts: 3,
  /** Time limit for reading a whole file inside a function. */
  fileMilliseconds: 40_000,
  readUrlSeconds: 900,
  /** Time limit for a text that an answer can do without. */
  textMilliseconds: 3000,
} as const;
