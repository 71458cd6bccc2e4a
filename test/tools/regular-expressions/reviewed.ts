/**
 * Expressions that the check cannot prove to take linear time. Each entry says why the expression is acceptable. The
 * check fails if an entry is not needed.
 */

export interface Reviewed {
  readonly file: string;
  /**
   * The source of the expression. `bounded` stands for every expression in the file whose repetitions all have an upper
   * bound, and `built` for expressions that the program builds from data.
   */
  readonly source: string;
  readonly why: string;
}

const PINNED = 'It reads the source of a package with a pinned version while bundles are built.';

const SECRETS =
  'It finds secrets. From each position, it reads at most as many characters as the longest secret has, and the length of the text is limited.';

export const REVIEWED: readonly Reviewed[] = [
  { file: 'shared/masking/secret-shapes.ts', source: 'bounded', why: SECRETS },
  { file: 'shared/masking/command-secrets.ts', source: 'bounded', why: SECRETS },
  { file: 'shared/masking/named-secrets.ts', source: 'bounded', why: SECRETS },
  { file: 'shared/masking/vendor-tokens.ts', source: 'bounded', why: SECRETS },
  {
    file: 'shared/rules/safe-pattern.ts',
    source: 'built',
    why: 'People write the patterns of rules, and the published reporter applies only those that its own check considers safe. In this service, matching is stopped after half a second.',
  },
  { file: 'infra/build/trim.ts', source: '^export .*iso\\/index\\.js.*$', why: PINNED },
  {
    file: 'infra/build/trim.ts',
    source: 'JSON\\.parse\\(text, \\(key, value\\) => \\{[\\s\\S]*?\\n\\t\\}\\)',
    why: PINNED,
  },
];
