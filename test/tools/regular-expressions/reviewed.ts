/**
 * Expressions that the checker cannot prove linear, each with the reason why it is kept: it never meets text from outside,
 * or the text has a small bound. An entry that is not needed any more fails the check.
 */
export interface Reviewed {
  readonly file: string;
  /**
   * The source of a literal or of a built expression.
   * `bounded`: every expression of the file in which each repetition has an upper bound.
   * `built`: the program builds it from data.
   */
  readonly source: string;
  readonly why: string;
}

const PINNED = 'It reads the source of a package of a pinned version, while bundles are built.';

const SECRETS =
  'It finds secrets. From each beginning it reads as many characters as the longest secret at most, and the text has a budget.';

export const REVIEWED: readonly Reviewed[] = [
  { file: 'shared/masking/command-secrets.ts', source: 'bounded', why: SECRETS },
  { file: 'shared/masking/named-secrets.ts', source: 'bounded', why: SECRETS },
  { file: 'shared/masking/secret-shapes.ts', source: 'bounded', why: SECRETS },
  { file: 'shared/masking/vendor-tokens.ts', source: 'bounded', why: SECRETS },
  {
    file: 'shared/rules/safe-pattern.ts',
    source: 'built',
    why: 'People write the patterns of rules, and the published reporter decides which it applies. Here a pattern ends after half a second.',
  },
  { file: 'infra/build/trim.ts', source: '^export .*iso\\/index\\.js.*$', why: PINNED },
  {
    file: 'infra/build/trim.ts',
    source: 'JSON\\.parse\\(text, \\(key, value\\) => \\{[\\s\\S]*?\\n\\t\\}\\)',
    why: PINNED,
  },
];
