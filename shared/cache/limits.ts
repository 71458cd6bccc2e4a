/** Limits of the cache. */
export const CACHE_LIMITS = {
  /** How long a version of a cache is kept, in days. The bucket keeps the objects of the version one day longer. */
  keptDays: 7,
  /** Maximum size of an archive. The command `currents cache` also refuses larger archives. */
  archiveBytes: 50 * 1024 * 1024,
  matrixJobs: 10_000,
} as const;
