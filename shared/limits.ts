/** §8 and the bounds the specification leaves open. Each number of the service stands here once. */
export const LIMITS = {
  /** §8 `GET /test-results/{signature}` */
  testResultsPage: { minimum: 1, maximum: 100, default: 10 },
  /** §8 cursor lists in general */
  cursorPage: { minimum: 1, maximum: 50, default: 10 },
  /** §8 Failure context; its answer is measured as it is sent. */
  contextPage: { minimum: 1, maximum: 50, default: 10 },
  contextBytes: 1024 * 1024,
  /** §4.3 What the shorter levels of detail keep of a test: see context/detail.ts. */
  contextDetail: {
    compact: {
      messageCharacters: 4000,
      otherMessageCharacters: 300,
      frames: 10,
      outputLines: 20,
      outputCharacters: 2000,
      assets: 3,
    },
    summary: { messageCharacters: 1000 },
  },
  /** §8 */
  branchFilterCharacters: 250,

  /** §8 Personal tokens */
  tokenNameCharacters: 64,
  tokenDescriptionCharacters: 256,
  /** Between two notes of a token's last use. */
  lastUseMilliseconds: 10 * 60 * 1000,
  /** Of tokens or organizations: what the clean-up holds in memory, and one batch can read. */
  cleanUpPage: 100,
  /** Organizations and tokens that a clean-up cut off looks at again at most, as long as each organization has fewer. */
  cleanUpCheckpointRows: 1000,
  /** What a clean-up needs to end the page it is at. */
  cleanUpMarginMilliseconds: 15_000,

  /** §5.3 How long an access token is good after its grant was revoked, and by how much clocks may differ. */
  accessTokenSeconds: 3600,
  clockToleranceSeconds: 60,
  /** Of the authorization server: how long it may take, how much it may say, how long its keys are kept. */
  issuerMilliseconds: 3000,
  issuerAnswerBytes: 64 * 1024,
  issuerKeysMilliseconds: 10 * 60 * 1000,
  /** Between two looks for a key that was not there: a new one is found soon, a forged name asks seldom. */
  issuerPauseMilliseconds: 5000,
  /** Credentials whose owner one container remembers. */
  rememberedOwners: 1000,

  /** §5 Names of organizations, projects and people, labels of API keys. */
  nameCharacters: 128,
  /** How long somebody has to accept an invitation. */
  invitationMilliseconds: 7 * 24 * 60 * 60 * 1000,
  /** §6 Of an event, which a receiver takes as a whole: its tags in all, its commit message. */
  eventTagCharacters: 4000,
  eventMessageCharacters: 2048,
  /** What is kept for it beside the results: tags of a test, and how many of a spec file's tests are enough. */
  countedTags: 40,
  tagsPerSpec: 300,
  /** Of a run, which ends in one transaction with what is told of each; and how many one row of the outbox tells of. */
  groupsPerRun: 1000,
  eventsPerOutboxRow: 40,
  /** A transaction takes a hundred rows. */
  groupsPerTransaction: 80,

  machinesPerReset: 63,
  /** Of a request that deletes a run: how long it deletes, and what one spec file may take of that. */
  deletionMilliseconds: 20_000,
  deletionMarginMilliseconds: 5000,
  /** No request that found the run is under way for longer. */
  deletionPauseMilliseconds: 60_000,
  /** How long machines of a deleted run cannot bring it back. */
  deletedBuildMilliseconds: 24 * 60 * 60 * 1000,

  /** Of what is due: what a sweep has under way at once, and what it needs to end that. */
  sweepPage: 100,
  sweepMarginMilliseconds: 10_000,

  /** §3 A run without reports for this long times out, unless its project says otherwise. */
  inactivityTimeoutSeconds: { minimum: 3 * 60, maximum: 12 * 60 * 60, default: 30 * 60 },

  /** Characters of any id or name that ends in a key. Longer ones are hashed, never cut. */
  idCharacters: 256,
  specCharacters: 1024,
  titleParts: 64,
  titlePartCharacters: 2048,
  titleCharacters: 16_384,
  tagCharacters: 128,
  tagsPerList: 100,
  /** Of a run, whose groups and machines each bring their own: tags, and environments. The first ones are kept. */
  tagsPerRun: 200,
  filterValues: 50,
  searchCharacters: 200,
  pullRequestIdCharacters: 128,
  annotationsPerTest: 32,
  annotationTypeCharacters: 256,
  annotationDescriptionCharacters: 2048,
  annotationFilterCharacters: 8192,
  attemptsPerTest: 50,
  /** Some thirty years: longer durations are no measurements, and sums of these stay exact. */
  attemptMilliseconds: 10 ** 12,
  errorsPerAttempt: 20,
  errorMessageCharacters: 32_768,
  errorStackCharacters: 65_536,
  errorSnippetCharacters: 8192,
  /** Of all errors of a test together, which share an item. */
  testErrorCharacters: 120_000,
  stepsPerTest: 5000,
  stepDepth: 50,
  stepTitleCharacters: 2048,
  /** Of the standard output of one attempt, and as much of its standard error: the end of each. */
  outputCharacters: 65_536,
  testsPerRun: 100_000,
  /** Their results share an item. */
  testsPerSpec: 10_000,
  artifactsPerCall: 2000,
  fileNameCharacters: 512,

  /** Bytes of a request body after gunzip, and levels of nesting in its JSON. */
  bodyBytes: 32 * 1024 * 1024,
  bodyDepth: 100,
  /** Lambda takes at most 6 MB of serialized proxy answer; the rest is room for the platform. */
  answerEnvelopeBytes: 6 * 1024 * 1024 - 64 * 1024,
  /** Below this a gzip answer is not smaller on the wire. */
  gzipFromBytes: 1024,

  cursorCharacters: 2048,
  /** History rows that one trip reads at most: the best of those measured where few match. */
  filteredReadRows: 600,

  /** DynamoDB refuses items above 400 KB; parts stay clear of it. */
  itemPartBytes: 350_000,

  uploadUrlSeconds: 3600,
  /** For the whole of a file that a function reads itself. */
  fileMilliseconds: 40_000,
  readUrlSeconds: 900,
  /** Calls to the table that one request has under way at once, where a batch will not do. */
  callsAtOnce: 16,
  /** Rounds of a read-and-conditional-write before the service gives up on the competition. */
  optimisticAttempts: 20,
  commitSubjectCharacters: 200,
  commitMessageCharacters: 16_384,
  commitTextCharacters: 1024,

  /** Of a trace that a test left behind: what may be read of it, and what is kept. */
  trace: {
    bytes: 256 * 1024 * 1024,
    entries: 20_000,
    /** Of the events in it alone: pictures and files of the page stay as they are. */
    inflatedBytes: 256 * 1024 * 1024,
    /** How far the events of a recording may inflate, from a size on that harms nobody. Real ones do up to some 40 times. */
    inflation: { times: 200, fromBytes: 8 * 1024 * 1024 },
    /** Of one event, and the members and elements in it: longer ones are passed over. */
    lineBytes: 256 * 1024,
    lineValues: 10_000,
    milliseconds: 20_000,
    consoleEntries: 100,
    networkRequests: 200,
    /** Of all entries together, and of all requests together: both share an item. */
    consoleCharacters: 60_000,
    networkCharacters: 60_000,
    textCharacters: 2048,
    urlCharacters: 1024,
    /** Of an HTTP method, or the type of a console entry. */
    wordCharacters: 32,
  },
} as const;

/** §9 When the deprecated spellings were deprecated (epoch seconds), for the `Deprecation` header of RFC 9745. */
export const DEPRECATED_SINCE_SECONDS = 1_735_689_600;
