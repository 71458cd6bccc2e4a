/** Limits of files in the bucket. */
export const FILE_LIMITS = {
  uploadUrlSeconds: 3600,
  attempts: 3,
  /** Time limit for one call to S3, including its retries and the transfer of the file. */
  milliseconds: 40_000,
  readUrlSeconds: 900,
  /** Size of the parts in which a large file is stored. S3 accepts 5 MiB or more, and at most 10,000 parts. */
  partBytes: 8 * 1024 * 1024,
  /** The objects in a page of a listing. S3 returns no more. */
  keysPerPage: 1000,
  /** Time limit for reading an optional text file. If reading takes longer, the response is sent without the text. */
  textMilliseconds: 3000,
} as const;

export const SECRET_LIMITS = {
  attempts: 3,
  milliseconds: 5000,
  /** Maximum size of the value of a standard parameter. */
  valueBytes: 4096,
} as const;
