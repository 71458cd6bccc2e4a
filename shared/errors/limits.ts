/** Limits for parsing and classifying errors. */
export const ERROR_LIMITS = {
  readCharacters: 16 * 1024,
  /** Maximum characters of each value of a parsed error, and maximum lines of its diff and of its code frame. */
  valueCharacters: 2000,
  diffLines: 200,
  frameLines: 60,
  headlineCharacters: 4096,
  messageCharacters: 300,
  targetCharacters: 256,
  /** Maximum number of prefixes, such as `Error: `, that are removed from a message. */
  prefixes: 3,
  /** Lines searched for the matcher. It follows the headline if the test gave the assertion a custom message. */
  matcherLines: 12,
  comparedCharacters: 4096,
  fingerprintCharacters: 32,
  /** Of a message, a target or a path in the traits of a cause, and of a value in them. */
  causeCharacters: 100,
  causeValueCharacters: 60,
} as const;
