/** Limits of recorded runs. Longer texts and lists are cut. */
export const RECORDING_LIMITS = {
  /** How long a machine that was killed while it stored a suite holds up the others. */
  startLockMilliseconds: 10_000,
  /** How often a waiting machine looks at the lock, in about 15 seconds. Then it stores the suite itself. */
  startLockRounds: 15,
  tagCharacters: 128,
  tagsPerList: 100,
  /** Tags and environments of a run, which collects them from its groups and machines. The first ones are kept. */
  tagsPerRun: 200,
  /** Suites that a run remembers. Further ones are written again at each request, without effect. */
  suitesPerRun: 1000,
  annotationsPerTest: 32,
  annotationTypeCharacters: 256,
  annotationDescriptionCharacters: 2048,
  errorsPerAttempt: 20,
  errorMessageCharacters: 32_768,
  errorStackCharacters: 65_536,
  errorSnippetCharacters: 8192,
  /** UTF-8 bytes of all errors of a test together, which share an item. */
  testErrorBytes: 120_000,
  stepsPerTest: 5000,
  stepDepth: 50,
  stepTitleCharacters: 2048,
  stepCategoryCharacters: 128,
  /** Characters of the standard output of one attempt, and of its standard error. The end is kept. */
  outputCharacters: 65_536,
  artifactsPerCall: 2000,
  /** The largest size of one artifact. */
  artifactBytes: 1024 * 1024 * 1024,
  /** Traces of one organization that are analyzed at once. A lease outlives the time limit of the function. */
  traces: { callsPerOrganization: 3, leaseMilliseconds: 65_000, overCapSeconds: [1, 2, 4] },
  /** The published command sends about one megabyte per call. */
  instancesPerCall: 2000,
  fileNameCharacters: 512,
} as const;
