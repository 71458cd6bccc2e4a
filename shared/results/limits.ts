/** §8 Limits of lists and filters. */
export const RESULT_LIMITS = {
  /** §8 Pages of `GET /test-results/{signature}`. */
  testResultsPage: { minimum: 1, maximum: 100, default: 10 },
  /**
   * Latest executions that are read of a test, for its strip and to tell since when it fails. One read unit covers
   * them.
   */
  latestExecutions: 24,
  /** Executions after a run that are read to find out whether a test passed again. */
  nextExecutions: 8,
  /** Runs of each project that the list of projects shows. */
  latestRunsOfProject: 10,
  /** The overview names failed tests of so many projects. It reads `results` failed results of each, and shows `tests`. */
  attention: { projects: 4, tests: 3, results: 6 },
  /** How long after its end a run may be missing in the analytics. Longer than they take to count it. */
  lastMinutesMilliseconds: 5 * 60_000,
  /** Runs of each pull request in their list. */
  runsOfPullRequest: { minimum: 1, maximum: 10, default: 1 },
  /** How many pull requests are counted for the total of a list. Each counted pull request costs half a read unit. */
  countedPullRequests: 500,
  /** Terms of one type that are read and sorted by last use. If there are more, those whose text sorts first. */
  termsRead: 5000,
  termsPage: { minimum: 1, maximum: 100, default: 100 },
  termSearchCharacters: 128,
  filterValues: 50,
  searchCharacters: 200,
  pullRequestIdCharacters: 128,
  annotationFilterCharacters: 8192,
  /** Maximum history rows of one query. Measured as the best value where few rows match. */
  filteredReadRows: 600,
  /** A test is known to be flaky if it had this many flaky executions within this many days. */
  flaky: {
    days: 14,
    events: 2,
    /** Executions that did not pass or were flaky, read of each new failure. */
    executions: 10,
  },
  comparison: {
    /** §8 Tests of each section. */
    page: { minimum: 1, maximum: 50, default: 10 },
    /** Failed tests, skipped ones and flaky ones of a run that are compared, in the order of their keys. */
    marks: 2000,
    /** Tests that failed in the base and whose outcome in this run is looked up. Each costs half a read unit. */
    lookups: 100,
    /** Complete runs per read of their index. Further reads follow only if all of these have expired. */
    runs: 5,
    indexReads: 5,
    errorCharacters: 500,
  },
} as const;
