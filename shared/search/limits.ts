/** Limits of the search. */
export const SEARCH_LIMITS = {
  queryCharacters: 200,
  /** The maximum number of words that are searched in the names of tests and spec files. Further words are ignored. */
  words: 8,
  /** The number of results of each kind: tests, spec files and runs. */
  results: { minimum: 1, maximum: 20, default: 8 },
  /**
   * The maximum number of words of a query for which runs are looked up. For each word, at most `runsOfWord` rows of
   * the word are read, and at most as many rows of longer words that begin with it.
   */
  wordsOfRuns: 3,
  runsOfWord: 50,
  /**
   * The maximum number of projects that a search in an organization covers, and the maximum number of results of each
   * kind that it shows for a project.
   */
  projects: 20,
  resultsOfProject: 4,
} as const;
