/** §8 Limits of lists and filters. */
export const RESULT_LIMITS = {
  /** §8 The number of results on a page of `GET /test-results/{signature}`. */
  testResultsPage: { minimum: 1, maximum: 100, default: 10 },
  /** Read per test, for its history and to find out since when it has been failing. Costs up to two read units. */
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
  /** The overview names failed tests of this many projects. It reads `results` of each, and shows `tests` of them. */
  attention: { projects: 4, tests: 3, results: 6 },
  /** For this long after its end, a run may be missing from analytics. It is longer than counting a run takes. */
  lastMinutesMilliseconds: 5 * 60_000,
  /** The number of runs that the list of pull requests contains for each pull request. */
  runsOfPullRequest: { minimum: 1, maximum: 10, default: 1 },
  /** For the total of a list. Counting one costs at least one read unit, for its run pointers and its newest run. */
  countedPullRequests: 500,
  /** Values of one type that are read and sorted by last use. Of more, the alphabetically first ones are read. */
  termsRead: 5000,
  termsPage: { minimum: 1, maximum: 100, default: 100 },
  termSearchCharacters: 128,
  filterValues: 50,
  searchCharacters: 200,
  pullRequestIdCharacters: 128,
  annotationFilterCharacters: 8192,
  /** History rows per query. In measurements, this value performed best for filters that few rows match. */
  filteredReadRows: 600,
  /** Branches and authors of a filter whose times are looked up. Each costs one read unit, an author two. */
  lookedUpTerms: 5,
  /** A test is known to be flaky if it had at least this many flaky executions within this many days. */
  flaky: {
    days: 14,
    events: 2,
    /** Read if the latest executions do not reach back so far. Only those that did not pass or were flaky are read. */
    executions: 25,
  },
  comparison: {
    /** §8 The number of tests on a page of each section. */
    page: { minimum: 1, maximum: 50, default: 10 },
    /**
     * Compared failed tests of a run, and as many skipped and flaky ones. Of more, the first ones by key are compared.
     */
    marks: 2000,
    /** Tests that failed in the base and are looked up in the compared run. Each lookup costs half a read unit. */
    lookups: 100,
    /**
     * Runs per read of the index. If none of them exist anymore, it is read again, up to `indexReads` times in total.
     */
    runs: 5,
    indexReads: 5,
    errorCharacters: 500,
  },
  /** The verdict of a gate names so many tests, and spec files with missing tests. */
  gate: { tests: 10, files: 5, namesPerFile: 5, detailCharacters: 300, runs: 10 },
  /** A page of the tests of a run: its rows, the spec files that are read for it, and how many of them at once. */
  testsOfRun: { rows: 50, files: 40, batch: 10 },
  /** Among which a person chooses a base. Reading them costs about half a read unit each. */
  recentRuns: 50,
  /**
   * For the rows of a list of runs: of this many different sets of groups, `earlierRuns` complete runs are found, and
   * `usualRuns` of them are read for the usual duration, which needs `leastRuns` with as many tests, give or take the
   * share `sameTests`. New failures are counted in runs with at most `failures`.
   */
  runChanges: { groups: 3, earlierRuns: 40, usualRuns: 9, leastRuns: 3, sameTests: 0.1, failures: 60 },
  /** Causes of a section that are listed, and received values of each. */
  causes: { idCharacters: 12, listed: 20, values: 5 },

  /**
   * At most this many `runs` of a commit are read. Of each run, `testsOfRun` failed tests are looked up in later runs,
   * at most `lookups` in all, for up to one read unit each. A build has at most `tries` tries.
   */
  commit: { runs: 1000, testsOfRun: 500, lookups: 3000, tries: 60 },

  /** §7 The maximum number of matches that the error about an ambiguous request lists. */
  candidates: 20,
  /** Spec files with failed, skipped or flaky tests to search if a request names a test, but no spec file. */
  searchedSpecFiles: 50,
} as const;
