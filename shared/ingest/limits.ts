/** Limits of stored results. */
export const INGEST_LIMITS = {
  /** Tags that all tests of a spec file together keep for events. */
  tagsPerSpec: 300,
  /** Screenshots per spec file that the run shows. The page of the spec file shows all. */
  picturesPerSpec: 8,
  /** A start further in the past or in the future means that the machine's clock is wrong. */
  oldestStartMilliseconds: 400 * 24 * 60 * 60 * 1000,
  newestStartMilliseconds: 24 * 60 * 60 * 1000,
  commitSubjectCharacters: 200,
  /** UTF-8 bytes of the steps and output of all attempts of a test, as JSON. */
  evidenceBytes: 1024 * 1024,
  /** Reserved per attempt for what surrounds steps and output: brackets, names, and notes on what was left out. */
  attemptBytes: 200,
  /** The length of a short error of a step. Longer errors of steps are left out if the evidence is too large. */
  shortMessageCharacters: 4096,
} as const;
