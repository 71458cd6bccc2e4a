/**
 * The format of a secret. The pattern matches the secret only. A group `before` matches context to keep.
 *
 * All repetitions are bounded and none overlap, so 200 KB of hostile text take milliseconds.
 */
export interface SecretShape {
  readonly name: string;
  /** Lower-case substrings for a fast check: a text without any of them contains no such secret. */
  readonly marks?: readonly string[];
  readonly pattern: RegExp;
}
