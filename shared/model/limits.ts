/** Limits of rows, and of the ids and texts in them. */
export const MODEL_LIMITS = {
  /** §8 The maximum length of a branch filter and of a default branch. */
  branchFilterCharacters: 250,
  /** The maximum number of tags of a test that events contain, and the maximum size of each of these tags. */
  countedTags: 40,
  countedTagBytes: 160,
  /** The retention of results, evidence and files in days. */
  retentionDays: { minimum: 1, maximum: 3650 },
  /** The delay before rows and files are removed that a request may still write. No request lasts longer. */
  deletionPauseMilliseconds: 60_000,
  /** Of any id or name in a key. Keys contain a hash of long ids and names, and never a shortened form. */
  idCharacters: 256,
  specCharacters: 1024,
  titleParts: 64,
  titlePartCharacters: 2048,
  titleCharacters: 16_384,
  /** UTF-8 bytes that a row collects from requests. With those of one more, they fit into the 400 KB of an item. */
  rowBytes: {
    runTags: 26_000,
    runGroupTags: 26_000,
    runEnvironments: 26_000,
    groupTags: 13_000,
    claims: 64_000,
    runSummary: 100_000,
  },
  /** The maximum number of CI jobs of a run whose names are kept. */
  jobsOfRun: 50,
  /** The maximum number of CI jobs of a run whose addresses are kept. */
  ciPagesOfRun: 10,
  /** The maximum number of spec files that the row of a run of a commit lists, so that it stays below 1 KB. */
  specsOfCommit: 150,
  /** Traces in the row of the shown files of a spec file. If it is full, readers query the artifacts. */
  shownTraces: 20,
  /**
   * What a container of a function keeps of rows above tests: how many runs, groups and instances, for how long, and the
   * most claims of an instance. They need a few megabytes at most.
   */
  recent: { runs: 100, groups: 200, instances: 1000, claims: 20, milliseconds: 10_000 },
  /**
   * The longest value of a term, the time between two uses that are stored, and how long a term is kept after its last
   * use. A container keeps the times of `recent` terms for as long as they cover new executions.
   */
  terms: {
    characters: 256,
    stepMilliseconds: 60 * 60 * 1000,
    keptMilliseconds: 365 * 24 * 60 * 60 * 1000,
    recent: 500,
  },
  /** The shortest span of time that has a summary in the read model. */
  leafMilliseconds: 6 * 60 * 60 * 1000,
  /** Corrections in this period are counted together: clients send thousands, and each computation reads the run. */
  correctionMilliseconds: 10_000,
  /** The spans of each level are this many times as long as those of the level below. */
  spansPerLevel: 4,
  /** Rows for the live counters of a run. Each stays below 1 KB, so that a write costs one write unit. */
  progressRows: { fewest: 8, filesPerRow: 25 },
  /** Suites in each of the 16 rows for suites of a run. */
  suitesPerRow: 100,
  /** A day, twice the longest inactivity timeout. A longer duration is stored as this value, and is unknown. */
  attemptMilliseconds: 24 * 60 * 60 * 1000,
  /** Between attempts at tests of a spec file. A longer pause is due to a wrong clock, and counts as this value. */
  pauseMilliseconds: 5 * 60 * 1000,
  attemptsPerTest: 50,
  /** A runner marks a test with the first matching rule of each kind, and with the rules that changed the test. */
  rulesPerTest: 8,
  testsPerRun: 100_000,
  /** The maximum number of tests of a spec file. One item holds the results of all its uploaded tests. */
  testsPerSpec: 10_000,
  commitMessageCharacters: 16_384,
  commitTextCharacters: 1024,
  /** The maximum number of words by which a run can be found, and the maximum number of stored characters per word. */
  searchWordsOfRun: 32,
  searchWordCharacters: 64,
} as const;
