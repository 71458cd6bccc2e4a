/** Limits of imports. */
export const IMPORT_LIMITS = {
  /** The largest report that a request parses: decompressed bytes, and work in units of about 1 µs. */
  small: { bytes: 4 * 1024 * 1024, work: 80_000 },
  /** The largest zip archive that is opened within a request, in compressed bytes. */
  smallZipBytes: 1024 * 1024,
  /** What a request records at most, with the total size of its attachments. Larger reports go to the queue. */
  testsAtOnce: 500,
  attachmentsAtOnce: 20,
  attachmentBytesAtOnce: 8 * 1024 * 1024,
  /** The maximum number of tests and spec files that are recorded in one step. Progress is stored after each step. */
  testsPerStep: 1000,
  specsPerStep: 250,
  /** The number of days for which the row of an import is kept. The imported results are kept as long as their run. */
  keptDays: 90,
  formFiles: 1000,
  /** What the response about an import lists at most. These limits do not affect the recorded results. */
  files: 200,
  warnings: 100,
  runErrors: 20,
  fileNameCharacters: 200,
  warningCharacters: 300,
  runErrorCharacters: 1000,
  /** The maximum number of files that a request names because they could not be read. */
  lostFiles: 100,
  /** The maximum number of problems of an import that its run shows. Together they fit into a table item. */
  problems: 60,
  /** The names of tests in the answer to an import with `quarantine=true`. */
  namedFailures: 10,
  namedFailureCharacters: 300,
  attachmentsTogether: 4,
  /** Of one organization at the same time. A lease lasts longer than the time limit of the function that holds it. */
  reports: { callsPerOrganization: 3, leaseMilliseconds: 850_000, overCapSeconds: [2, 5, 15] },
  pullRequestDigits: 12,
} as const;
