/** Limits of imports. Longer lists are cut in the answer, never in the recorded results. */
export const IMPORT_LIMITS = {
  /** What a request reads itself: bytes after inflating, and the work. The queue reads larger reports. */
  small: { bytes: 4 * 1024 * 1024, work: 80_000 },
  /** The bytes of a zip archive that a request opens. */
  smallZipBytes: 1024 * 1024,
  /** Tests and attachments that a request records before its answer. The queue records larger reports. */
  testsAtOnce: 500,
  attachmentsAtOnce: 20,
  attachmentBytesAtOnce: 8 * 1024 * 1024,
  /** Tests and spec files that are recorded together. Then the progress is stored. */
  testsPerStep: 1000,
  specsPerStep: 250,
  /** The days for which an import can be read. */
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
