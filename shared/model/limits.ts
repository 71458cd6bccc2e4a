/** Limits of rows, and of the ids and texts in them. */
export const MODEL_LIMITS = {
  /** §8 Characters of a branch filter, and of a default branch. */
  branchFilterCharacters: 250,
  /** Tags per test that its spec file keeps for events, and the longest of them in bytes. */
  countedTags: 40,
  countedTagBytes: 160,
  /** The retention of results, evidence and files in days. */
  retentionDays: { minimum: 1, maximum: 3650 },
  /** Delay before the removal of what a running request may still write. Longer than any request can last. */
  deletionPauseMilliseconds: 60_000,
  /** Maximum characters of any id or name in a key. Keys hash long ids and never cut them. */
  idCharacters: 256,
  specCharacters: 1024,
  titleParts: 64,
  titlePartCharacters: 2048,
  titleCharacters: 16_384,
  /** UTF-8 bytes that a row collects from many requests. With one request's values they fit into an item's 400 KB. */
  rowBytes: {
    runTags: 26_000,
    runGroupTags: 26_000,
    runEnvironments: 26_000,
    groupTags: 13_000,
    claims: 64_000,
    runSummary: 100_000,
  },
  /** Traces of a spec file that a run shows. */
  shownTraces: 20,
  /** The shortest span of time that has a summary in the read model. */
  leafMilliseconds: 6 * 60 * 60 * 1000,
  /** Each level of spans has this many times the length of the level below it. */
  spansPerLevel: 4,
  /** The number of rows with live counters of a run. Each row stays below 1 KB, which one write unit covers. */
  progressRows: { fewest: 8, filesPerRow: 25 },
  /**
   * A day, which is twice the longest inactivity timeout. An attempt that claims to last longer is cut to this, and its
   * duration counts as unknown.
   */
  attemptMilliseconds: 24 * 60 * 60 * 1000,
  /** The longest pause that counts between two attempts of a spec file. Longer ones come from wrong clocks. */
  pauseMilliseconds: 5 * 60 * 1000,
  /** The number of stored attempts of a test. Later ones are dropped. */
  attemptsPerTest: 50,
  /** Rules that are stored with a test. A runner marks at most one of each kind, and those that changed the test. */
  rulesPerTest: 8,
  testsPerRun: 100_000,
  /** The largest number of tests of a spec file, whose results share an item. */
  testsPerSpec: 10_000,
  commitMessageCharacters: 16_384,
  commitTextCharacters: 1024,
  /** Words by which a run is found, and their longest beginning that counts. */
  searchWordsOfRun: 32,
  searchWordCharacters: 64,
} as const;
