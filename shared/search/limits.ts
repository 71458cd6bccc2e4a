/** Limits of the search. */
export const SEARCH_LIMITS = {
  queryCharacters: 200,
  /** Words of a question that count. */
  words: 8,
  /** Results of each kind. */
  results: { minimum: 1, maximum: 20, default: 8 },
  /** Words of a question whose runs are looked up, and rows that are read of each and of its continuations. */
  wordsOfRuns: 3,
  runsOfWord: 50,
  /** Projects that a search over an organization covers, and the results of each kind that it shows of a project. */
  projects: 20,
  resultsOfProject: 4,
} as const;
