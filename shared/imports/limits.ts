/** Limits of imports. Longer lists are cut in the answer, never in the recorded results. */
export const IMPORT_LIMITS = {
  /** What a request parses itself: decompressed bytes, and units of the work budget. The queue takes larger reports. */
  small: { bytes: 4 * 1024 * 1024, work: 80_000 },
  /** Largest zip archive that a request opens, in compressed bytes. */
  smallZipBytes: 1024 * 1024,
  /** Tests and attachments that a request records before its answer. The queue records larger reports. */
  testsAtOnce: 500,
  attachmentsAtOnce: 20,
  attachmentBytesAtOnce: 8 * 1024 * 1024,
  /** Tests and spec files of one step. Progress is stored after each step. */
  testsPerStep: 1000,
  specsPerStep: 250,
  /** Retention of an import. Its results stay as long as those of the run. */
  keptDays: 90,
  /** Files of one form. */
  formFiles: 1000,
  /** Report files, warnings and errors that an import lists. */
  files: 200,
  warnings: 100,
  runErrors: 20,
  fileNameCharacters: 200,
  warningCharacters: 300,
  runErrorCharacters: 1000,
  attachmentsTogether: 4,
  /** Reports of one organization that the queue records at once. A lease outlives the time limit of the function. */
  reports: { callsPerOrganization: 3, leaseMilliseconds: 850_000, overCapSeconds: [2, 5, 15] },
  pullRequestDigits: 12,
} as const;
