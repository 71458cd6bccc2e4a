/**
 * The format of a secret. The pattern matches the secret and, in the group `before`, the text before it that stays
 * visible.
 *
 * All repetitions are bounded. A value ends where another match could begin, so that each character is read only a
 * constant number of times.
 */
export interface SecretShape {
  readonly name: string;
  /** Lower-case substrings for a fast check: a text without any of them contains no secret of this format. */
  readonly marks: readonly string[];
  readonly pattern: RegExp;
}
