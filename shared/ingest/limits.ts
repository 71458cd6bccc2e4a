/** Limits of stored results. */
export const INGEST_LIMITS = {
  /** Tags of the tests of a spec file together, kept for events. */
  tagsPerSpec: 300,
  /** Screenshots per spec file that the run shows. The spec file itself shows all. */
  picturesPerSpec: 8,
  commitSubjectCharacters: 200,
} as const;
