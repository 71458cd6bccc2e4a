/** Limits for recording runs. Most texts and lists that are too long are truncated, so that no results are lost. */
export const RECORDING_LIMITS = {
  /** Maximum time that other machines have to wait if a machine is killed while it stores a suite. */
  startLockMilliseconds: 10_000,
  /** A waiting machine checks the lock this often, for about 12 seconds. Then it stores the suite itself. */
  startLockRounds: 15,
  tagCharacters: 128,
  tagsPerList: 100,
  /** Limits the tags of a run, those of its groups, and its environments. The first ones are kept. */
  tagsPerRun: 200,
  /** The maximum number of tries of a job without numbers that are told apart, and how long they are remembered. */
  triesOfJob: 100,
  triesOfJobSeconds: 30 * 24 * 3600,
  /** The highest number that people can give a try. */
  lastTry: 1000,
  /** A suite of at most so many spec files is stored without a lock, which would cost as much as storing it again. */
  filesWithoutLock: 10,
  annotationsPerTest: 32,
  annotationTypeCharacters: 256,
  annotationDescriptionCharacters: 2048,
  errorsPerAttempt: 20,
  errorMessageCharacters: 32_768,
  errorStackCharacters: 65_536,
  errorSnippetCharacters: 8192,
  /** Maximum size of all errors of a test together, in UTF-8 bytes. They share one item of the table. */
  testErrorBytes: 120_000,
  stepsPerTest: 5000,
  stepDepth: 50,
  stepTitleCharacters: 2048,
  stepCategoryCharacters: 128,
  /** Of the standard output of one attempt, and of its standard error. Only the end of longer ones is kept. */
  outputCharacters: 65_536,
  artifactsPerCall: 2000,
  artifactBytes: 1024 * 1024 * 1024,
  /** Traces of one organization at the same time. A lease must last longer than the time limit of the function. */
  traces: { callsPerOrganization: 3, leaseMilliseconds: 65_000, overCapSeconds: [1, 2, 4] },
  /** Maximum number of instances per upload request. `currents upload` sends about one megabyte per request. */
  instancesPerCall: 2000,
  fileNameCharacters: 512,
  /** All of their rows share a partition, and each machine writes about one row per second. */
  machinesPerRun: 1000,
  /** Maximum number of batches of a machine. At one batch per second, this is enough for more than 11 days. */
  batchesPerMachine: 1_000_000,
  /** Maximum number of gaps in the sequence numbers of a machine. Our reporters have at most four batches in flight. */
  gapsPerMachine: 100,
  /** Maximum number of missing sequence numbers in a response. */
  missingPerAnswer: 100,
  /** Maximum number of failed tests of a machine that a later try repeats alone. With more, it repeats everything. */
  testsToRepeat: 1000,
  /** Maximum number of errors outside tests that are stored for a machine. */
  errorsPerMachine: 20,
  machineErrorCharacters: 2000,
  /** Maximum number of invalid tests of a request that are named. Further ones are counted. */
  leftOutNamed: 20,
  /** Maximum number of files per request for upload links. */
  filesPerCall: 100,
  /** The size that the JSON of a batch should not exceed. Lambda refuses requests above 6 MB. */
  batchBytes: 512 * 1024,
} as const;
