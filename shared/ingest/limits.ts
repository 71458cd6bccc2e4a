/** Limits of stored results. */
export const INGEST_LIMITS = {
  /** The number of distinct tags of tests that are stored with a spec file, for events. */
  tagsPerSpec: 300,
  /** The number of screenshots per spec file that the run shows. The page of the spec file shows all of them. */
  picturesPerSpec: 8,
  /** A start further in the past or in the future means that the machine's clock is wrong. */
  oldestStartMilliseconds: 400 * 24 * 60 * 60 * 1000,
  newestStartMilliseconds: 24 * 60 * 60 * 1000,
  commitSubjectCharacters: 200,
  /** UTF-8 bytes of the steps and output of all attempts of a test, as JSON. */
  evidenceBytes: 1024 * 1024,
  /**
   * Bytes reserved per attempt for everything around its steps and output: brackets, names, and notes on what was left
   * out.
   */
  attemptBytes: 200,
  /** The longest error message of a step that is kept when the evidence is too large. */
  shortMessageCharacters: 4096,
} as const;
