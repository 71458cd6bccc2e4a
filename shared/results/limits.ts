/** §8 Limits of lists and filters. */
export const RESULT_LIMITS = {
  /** §8 Pages of `GET /test-results/{signature}`. */
  testResultsPage: { minimum: 1, maximum: 100, default: 10 },
  /** The list of projects shows this many runs of each. */
  latestRunsOfProject: 10,
  filterValues: 50,
  searchCharacters: 200,
  pullRequestIdCharacters: 128,
  annotationFilterCharacters: 8192,
  /** Maximum history rows of one trip. Measurements showed this value as best where few rows match. */
  filteredReadRows: 600,
} as const;
