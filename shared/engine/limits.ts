/** §8 limits, and bounds that the specification leaves open. Each number is defined once. */
export const LIMITS = {
  /** §8 `GET /test-results/{signature}` */
  testResultsPage: { minimum: 1, maximum: 100, default: 10 },
  /** §8 Other cursor lists. */
  cursorPage: { minimum: 1, maximum: 50, default: 10 },
  /** §8 Failure context. The size of its response is measured as sent. */
  contextPage: { minimum: 1, maximum: 50, default: 10 },
  contextBytes: 1024 * 1024,
  /** The suggested history range of a failure context. It ends after now, because ranges exclude their end. */
  contextHistoryMilliseconds: { before: 90 * 24 * 60 * 60 * 1000, after: 24 * 60 * 60 * 1000 },
  /** §4.3 The parts of a test that the shorter levels of detail keep. See context/detail.ts. */
  contextDetail: {
    compact: {
      messageCharacters: 4000,
      otherMessageCharacters: 300,
      frames: 10,
      stackCharacters: 8000,
      outputLines: 20,
      outputCharacters: 2000,
      assets: 3,
    },
    summary: { messageCharacters: 1000, frames: 5, stackCharacters: 2000, snippetCharacters: 1000 },
  },
  /** §8 */
  branchFilterCharacters: 250,

  /** §8 Personal tokens */
  tokenNameCharacters: 64,
  tokenDescriptionCharacters: 256,
  /** Shortest time between two records of a token's last use. */
  lastUseMilliseconds: 10 * 60 * 1000,
  /** Tokens or organizations per page of the clean-up, which one batch can read. */
  cleanUpPage: 100,
  /** Max rows re-scanned after an interrupted clean-up, if each organization has fewer. */
  cleanUpCheckpointRows: 1000,
  /** Time that the clean-up needs to finish a page. */
  cleanUpMarginMilliseconds: 15_000,

  /** §5.3 Longest life of an access token, and tolerated clock difference. */
  accessTokenSeconds: 3600,
  clockToleranceSeconds: 60,
  /** Longest identifier in a claim. A client id may be a URL. */
  claimCharacters: 1024,
  /** Authorization server: time limit, size limit of answers, and cache time of its keys. */
  issuerMilliseconds: 3000,
  issuerAnswerBytes: 64 * 1024,
  issuerKeysMilliseconds: 10 * 60 * 1000,
  /** Pause between two searches for an unknown key. Short enough for new keys, long enough against forged ones. */
  issuerPauseMilliseconds: 5000,
  /** Credentials whose owner a container caches. */
  cachedOwners: 1000,

  /** §5 Names of organizations, projects and people, labels of API keys. */
  nameCharacters: 128,
  /** Lifetime of an invitation. */
  invitationMilliseconds: 7 * 24 * 60 * 60 * 1000,
  /** §6 An event, which a receiver takes as a whole: characters of all its tags, and of its commit message. */
  eventTagCharacters: 4000,
  eventMessageCharacters: 2048,
  /** Values kept for events: tags of a test, their length, and the tags of a spec file's tests together. */
  countedTags: 40,
  countedTagBytes: 160,
  tagsPerSpec: 300,
  /** All events of one transaction together, in equal shares. */
  eventTagBytes: 1_200_000,
  /** One outbox row, before compression. */
  outboxRowBytes: 250_000,
  /** Groups of a run, which ends in one transaction with their events. Then the groups of one outbox row. */
  groupsPerRun: 1000,
  eventsPerOutboxRow: 40,
  /** A transaction takes at most 100 rows. */
  groupsPerTransaction: 80,

  machinesPerReset: 63,
  /** Runs that one error message names. */
  runsPerRefusal: 20,
  /** A request that deletes a run: its time limit, and the time reserved for one spec file. */
  deletionMilliseconds: 20_000,
  deletionMarginMilliseconds: 5000,
  /** Longer than any request that found the run can last. */
  deletionPauseMilliseconds: 60_000,
  /** How long machines of a deleted run cannot create it again. */
  deletedBuildMilliseconds: 24 * 60 * 60 * 1000,

  /** A sweep of due rows: rows at once, and time to finish them. */
  sweepPage: 100,
  sweepMarginMilliseconds: 10_000,

  /** §3 A run without reports for this long times out, unless its project says otherwise. */
  inactivityTimeoutSeconds: { minimum: 3 * 60, maximum: 12 * 60 * 60, default: 30 * 60 },

  /** Retention of results, evidence and files. */
  retentionDays: { minimum: 1, maximum: 3650 },

  /** Maximum characters of any id or name in a key. Keys hash long ids and never cut them. */
  idCharacters: 256,
  specCharacters: 1024,
  titleParts: 64,
  titlePartCharacters: 2048,
  titleCharacters: 16_384,
  tagCharacters: 128,
  tagsPerList: 100,
  /** Tags and environments of a run, which collects them from its groups and machines. The first ones are kept. */
  tagsPerRun: 200,
  /** UTF-8 bytes that a row collects from many requests. With one request's values they fit into an item's 400 KB. */
  rowBytes: {
    runTags: 26_000,
    runGroupTags: 26_000,
    runEnvironments: 26_000,
    groupTags: 13_000,
    claims: 64_000,
    runSummary: 100_000,
  },
  /** Requests that a group remembers, and suites that a run remembers. More are written again without effect. */
  joinsPerGroup: 1000,
  suitesPerRun: 1000,
  filterValues: 50,
  searchCharacters: 200,
  pullRequestIdCharacters: 128,
  annotationsPerTest: 32,
  annotationTypeCharacters: 256,
  annotationDescriptionCharacters: 2048,
  annotationFilterCharacters: 8192,
  attemptsPerTest: 50,
  /** About 30 years. Longer durations are no measurements, and sums of these stay exact. */
  attemptMilliseconds: 10 ** 12,
  errorsPerAttempt: 20,
  errorMessageCharacters: 32_768,
  errorStackCharacters: 65_536,
  errorSnippetCharacters: 8192,
  /** UTF-8 bytes of all errors of a test together, which share an item. */
  testErrorBytes: 120_000,
  stepsPerTest: 5000,
  stepDepth: 50,
  stepTitleCharacters: 2048,
  /** Standard output of one attempt, and the same for its standard error. The end is kept. */
  outputCharacters: 65_536,
  testsPerRun: 100_000,
  /** The results of these tests share an item. */
  testsPerSpec: 10_000,
  artifactsPerCall: 2000,
  /** One artifact. */
  artifactBytes: 1024 * 1024 * 1024,
  /** The published command sends about one megabyte per call. */
  instancesPerCall: 2000,
  fileNameCharacters: 512,
  /** Failed tests that one trip reads to decide whether to cancel a run. */
  failuresPerRead: 1000,
  /** Screenshots per spec file that the run shows. The spec file itself shows all. */
  picturesPerSpec: 8,

  /** Lambda takes at most 6 MB of serialized proxy response. The difference is for the platform. */
  answerEnvelopeBytes: 6 * 1024 * 1024 - 64 * 1024,
  /** A smaller response gains nothing from gzip. */
  gzipFromBytes: 1024,

  cursorCharacters: 2048,
  /** Maximum history rows of one trip. Measurements showed this value as best where few rows match. */
  filteredReadRows: 600,

  /** DynamoDB refuses items above 400 KB. Parts are smaller for safety. */
  itemPartBytes: 350_000,

  uploadUrlSeconds: 3600,
  /** Time limit for reading a whole file inside a function. */
  fileMilliseconds: 40_000,
  readUrlSeconds: 900,
  /** Concurrent table calls of one request, where a batch does not fit. */
  callsAtOnce: 16,
  /** Attempts of an optimistic write before the service gives up. */
  optimisticAttempts: 20,
  commitSubjectCharacters: 200,
  commitMessageCharacters: 16_384,
  commitTextCharacters: 1024,

  /** One trace: limits of reading it, and of the result. */
  trace: {
    bytes: 256 * 1024 * 1024,
    entries: 20_000,
    /** The events of the trace only. Pictures and files of the page are not inflated. */
    inflatedBytes: 256 * 1024 * 1024,
    /** Maximum inflation of the events above a harmless size. Real events inflate up to about 40 times. */
    inflation: { times: 200, fromBytes: 8 * 1024 * 1024 },
    /** One event, and its members and elements. Longer events are skipped. */
    lineBytes: 256 * 1024,
    lineValues: 10_000,
    milliseconds: 20_000,
    consoleEntries: 100,
    networkRequests: 200,
    /** All console entries together, and all network requests together. Both share an item. */
    consoleCharacters: 60_000,
    networkCharacters: 60_000,
    textCharacters: 2048,
    urlCharacters: 1024,
    /** An HTTP method, or the type of a console entry. */
    wordCharacters: 32,
  },
} as const;

/** §9 When the old spellings were deprecated (epoch seconds), for the `Deprecation` header of RFC 9745. */
export const DEPRECATED_SINCE_SECONDS = 1_735_689_600;
