/** Limits of the classification of errors. */
export const ERROR_LIMITS = {
  /** Characters of an error that are read. */
  readCharacters: 16 * 1024,
  /** Characters of each value that a reading keeps, and its lines. */
  valueCharacters: 2000,
  diffLines: 200,
  frameLines: 60,
  /** Characters of a headline that are normalized. */
  headlineCharacters: 4096,
  messageCharacters: 300,
  targetCharacters: 256,
  /** Prefixes such as `Error: ` that are dropped. */
  prefixes: 3,
  /** Lines after the headline that may name the matcher, if the test gave the assertion a custom message. */
  matcherLines: 12,
  /** Characters of two messages that are compared. */
  comparedCharacters: 4096,
  fingerprintCharacters: 32,
} as const;
