/** Limits of stored results. */
export const INGEST_LIMITS = {
  /** The number of tags that all tests of a spec file together keep for events. */
  tagsPerSpec: 300,
  /** The number of screenshots per spec file that the run shows. The spec file itself shows all. */
  picturesPerSpec: 8,
  /** Tests that say that they started earlier or later than this have a wrong clock. */
  oldestStartMilliseconds: 400 * 24 * 60 * 60 * 1000,
  newestStartMilliseconds: 24 * 60 * 60 * 1000,
  commitSubjectCharacters: 200,
  /** UTF-8 bytes of the steps and output of all attempts of a test, as JSON. */
  evidenceBytes: 1024 * 1024,
  /** What surrounds the steps and the output of an attempt: brackets, names, and notes on what was left out. */
  attemptBytes: 200,
  /** Longer errors of steps are left out if the evidence is too large. */
  shortMessageCharacters: 4096,
} as const;
