import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';

/** §4.4.11 Limits of rules. */
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
  /** The maximum number of bytes of all conditions of a rule as JSON. */
  matcherBytes: 8000,
  /** The maximum number of rules of a project that are not archived. */
  rulesPerProject: 200,
  /**
   * The maximum number of compressed bytes of the rules that runners apply. Serving them to a runner costs one read
   * unit, which covers 8 KB.
   */
  appliedBytes: 7900,
  /** The number of rows on a page of affected tests, and on a page of their executions. */
  affectedPage: { minimum: 1, maximum: 100, default: 25 },
  executionsPage: { minimum: 1, maximum: 50, default: 25 },
  /** The period of which the preview of a rule shows tests. */
  previewMilliseconds: 14 * DAY_MILLISECONDS,
  /** The maximum number of tests that a preview shows. */
  previewTests: 20,
  /** The maximum number of tests whose latest execution a preview reads. */
  previewExecutions: 40,
  /**
   * Time limit for matching tests against rules, because a regular expression can be slow. A preview may take it twice:
   * to match all tests, and then their latest executions.
   */
  matchMilliseconds: 500,
  /** The number of rules on a page, each with warnings. */
  reviewedRules: 25,
  /** The number of the newest rules whose matches show whether the suite of a project reads rules. */
  rulesOfRunners: 10,
  /** The number of latest matches of a rule that the warnings look at. */
  reviewedMatches: 20,
  /** A quarantine may be unnecessary if it has at least this many latest matches, and all of them passed. */
  greenExecutions: 10,
  /** A rule may be outdated if it has matched nothing for this long. */
  unmatchedMilliseconds: 30 * DAY_MILLISECONDS,
  /** The maximum number of quarantined tests that the page of a run shows. */
  quarantinedShown: 20,
  /** The maximum number of flaky tests that are suggested for quarantine. */
  suggestedTests: 5,
  /** The number of the flakiest tests from which the suggestions are chosen. */
  suggestionCandidates: 20,
  /** Lifetime of a suggested quarantine. */
  quarantineDays: 14,
  /**
   * The maximum number of tests that an import and the page of the rules name because they have another name than in an
   * earlier release, and the number of days for which the page names them after the latest import.
   */
  renamedShown: 100,
  renamedDays: 180,
  /**
   * The maximum number of archived rules that a list shows, newest first, and the number of days after which archived
   * rules are removed.
   */
  archivedShown: 200,
  archivedDays: 400,
} as const;
