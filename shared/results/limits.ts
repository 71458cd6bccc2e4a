/** §8 Limits of lists and filters. */
export const RESULT_LIMITS = {
  /** §8 The number of results on a page of `GET /test-results/{signature}`. */
  testResultsPage: { minimum: 1, maximum: 100, default: 10 },
  /**
   * The maximum number of latest executions that are read for a test, to show its history and to find out since when it
   * has been failing. Reading them costs up to two read units.
   */
  latestExecutions: 24,
  /** The maximum number of executions after a run that are read to find out whether a test passed again. */
  nextExecutions: 8,
  /** The maximum number of runs of each project that the list of projects shows. */
  latestRunsOfProject: 10,
  /** The maximum number of errors outside tests that are shown for a run. */
  errorsOutsideTests: 20,
  /** The maximum number of problems of each kind that are shown for a run, and of the sources whose problems are read. */
  problemsOfKind: 20,
  problemSources: 100,
  /**
   * The overview names failed tests of at most this many projects. For each project, it reads at most `results` failed
   * results and shows at most `tests` of them.
   */
  attention: { projects: 4, tests: 3, results: 6 },
  /**
   * The time after the end of a run during which the run may be missing from analytics. It is longer than the time that
   * counting a run takes.
   */
  lastMinutesMilliseconds: 5 * 60_000,
  /** The number of runs that the list of pull requests contains for each pull request. */
  runsOfPullRequest: { minimum: 1, maximum: 10, default: 1 },
  /**
   * The maximum number of pull requests that are counted for the total of a list. Counting one costs at least one read
   * unit, because its run pointers and its newest run are read.
   */
  countedPullRequests: 500,
  /**
   * The maximum number of filter values of one type that are read and sorted by last use. If there are more, the
   * alphabetically first ones are read.
   */
  termsRead: 5000,
  termsPage: { minimum: 1, maximum: 100, default: 100 },
  termSearchCharacters: 128,
  filterValues: 50,
  searchCharacters: 200,
  pullRequestIdCharacters: 128,
  annotationFilterCharacters: 8192,
  /**
   * The maximum number of history rows that one query reads. In measurements, this value performed best for filters
   * that few rows match.
   */
  filteredReadRows: 600,
  /** A test is known to be flaky if it had at least this many flaky executions within this many days. */
  flaky: {
    days: 14,
    events: 2,
    /**
     * The maximum number of executions that are read for each new failure. Only executions that did not pass or were
     * flaky are read.
     */
    executions: 10,
  },
  comparison: {
    /** §8 The number of tests on a page of each section. */
    page: { minimum: 1, maximum: 50, default: 10 },
    /**
     * The maximum number of failed tests of a run that are compared. The same limit applies to skipped tests and to
     * flaky tests. If there are more, the first ones by key are compared.
     */
    marks: 2000,
    /**
     * The maximum number of tests that failed in the base run and whose outcome in the compared run is looked up. Each
     * lookup costs half a read unit.
     */
    lookups: 100,
    /**
     * The maximum number of runs that one read of the index of complete runs returns. If none of them exist anymore,
     * the index is read again, up to `indexReads` times in total.
     */
    runs: 5,
    indexReads: 5,
    errorCharacters: 500,
  },

  /**
   * The state of a commit is read from at most this many runs. `testsOfRun` is the maximum number of failed tests of a
   * run that are looked up in later runs, `tries` the maximum number of tries of a build, and `lookups` the maximum number of lookups in all runs. Each costs up to one
   * read unit.
   */
  commit: { runs: 1000, testsOfRun: 500, lookups: 3000, tries: 60 },

  /** §7 The maximum number of matches that the error about an ambiguous request lists. */
  candidates: 20,
  /**
   * The maximum number of spec files with failed, skipped or flaky tests that are searched if a request names a test,
   * but no spec file.
   */
  searchedSpecFiles: 50,
} as const;
