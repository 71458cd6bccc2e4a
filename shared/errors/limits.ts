/** Limits for parsing and classifying errors. */
export const ERROR_LIMITS = {
  /** Maximum number of characters of an error that are parsed. */
  readCharacters: 16 * 1024,
  /** Maximum characters of each value of a parsed error, and maximum lines of its diff and of its code frame. */
  valueCharacters: 2000,
  diffLines: 200,
  frameLines: 60,
  /** Maximum number of characters of a headline that are normalized. */
  headlineCharacters: 4096,
  messageCharacters: 300,
  targetCharacters: 256,
  /** Maximum number of prefixes, such as `Error: `, that are removed from a message. */
  prefixes: 3,
  /**
   * Number of lines that are searched for the matcher, which follows the headline if the test gave the assertion a
   * custom message.
   */
  matcherLines: 12,
  /** Maximum characters of each message when two messages are compared. */
  comparedCharacters: 4096,
  fingerprintCharacters: 32,
} as const;
