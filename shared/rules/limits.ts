/** §4.4 Limits of rules. */
export const RULE_LIMITS = {
  nameCharacters: 255,
  descriptionCharacters: 1000,
  searchCharacters: 100,
  tagsPerAction: 10,
  tagCharacters: 128,
  conditions: 20,
  valuesPerCondition: 50,
  valueCharacters: 1000,
  patternCharacters: 250,
  /** Bytes of all conditions of a rule as JSON. */
  matcherBytes: 8000,
  /** Rules of a project that are not archived. */
  rulesPerProject: 200,
  /** Compressed bytes of the rules that runners apply. A runner reads them with one read unit, which covers 8 KB. */
  appliedBytes: 7900,
  /** Rows of a page of affected tests, and of their executions. */
  affectedPage: { minimum: 1, maximum: 100, default: 25 },
  executionsPage: { minimum: 1, maximum: 50, default: 25 },
  /** Archived rules that a list shows, newest first, and the days after which they are forgotten. */
  archivedShown: 200,
  archivedDays: 400,
} as const;
