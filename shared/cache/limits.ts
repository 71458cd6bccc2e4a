/** Limits of the cache. */
export const CACHE_LIMITS = {
  /** The time for which a version is kept. The bucket keeps objects a day longer. */
  keptDays: 7,
  /** The published command refuses larger archives, too. */
  archiveBytes: 50 * 1024 * 1024,
  /** The largest number of jobs of a matrix. */
  matrixJobs: 10_000,
} as const;
