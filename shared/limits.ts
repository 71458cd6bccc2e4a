/** §8 and the bounds the specification leaves open. Each number of the service stands here once. */
export const LIMITS = {
  /** §8 `GET /test-results/{signature}` */
  testResultsPage: { minimum: 1, maximum: 100, default: 10 },
  /** §8 cursor lists in general */
  cursorPage: { minimum: 1, maximum: 50, default: 10 },
  /** §8 */
  branchFilterCharacters: 250,

  /** §8 Personal tokens */
  tokenNameCharacters: 64,
  tokenDescriptionCharacters: 256,
  /** Between two notes of a token's last use. */
  lastUseMilliseconds: 10 * 60 * 1000,

  /** Characters of any id or name that ends in a key. Longer ones are hashed, never cut. */
  idCharacters: 256,
  specCharacters: 1024,
  titleParts: 64,
  titlePartCharacters: 2048,
  titleCharacters: 16_384,
  tagCharacters: 128,
  tagsPerList: 100,
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
  readUrlSeconds: 900,
  /** Calls to the table that one request has under way at once, where a batch will not do. */
  callsAtOnce: 16,
  /** Rounds of a read-and-conditional-write before the service gives up on the competition. */
  optimisticAttempts: 20,
  commitSubjectCharacters: 200,
  commitMessageCharacters: 16_384,
  commitTextCharacters: 1024,
} as const;

/** §9 When the deprecated spellings were deprecated (epoch seconds), for the `Deprecation` header of RFC 9745. */
export const DEPRECATED_SINCE_SECONDS = 1_735_689_600;
