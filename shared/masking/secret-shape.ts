/**
 * The format of a secret. The pattern matches the secret only. A group `before` matches context to keep.
 *
 * All repetitions are bounded. Where a value may contain the beginning of another match, it ends there, so that each
 * character is read a constant number of times.
 */
export interface SecretShape {
  readonly name: string;
  /** Lower-case substrings for a fast check: a text without any of them contains no such secret. */
  readonly marks: readonly string[];
  readonly pattern: RegExp;
}
