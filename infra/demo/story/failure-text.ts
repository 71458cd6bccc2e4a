/** Building blocks of error messages, as test runners write them. */

export interface StoryFailure {
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The code frame around the failed line, as runners print it. */
  readonly snippet: string;
  /** The steps before the failed step. */
  readonly steps: readonly string[];
  readonly failedStep: string;
  readonly status?: 'timedOut';
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
  /** Base name of the files that the failed attempt recorded. */
  readonly files?: FilesName;
  /**
   * Whether the failed attempt also recorded a video, which has the same base name, and the pictures of a snapshot
   * comparison.
   */
  readonly hasSnapshot?: true;
  /** The time that the failed step waits, in milliseconds. */
  readonly waits: number;
}

/** Base name of a trace, a screenshot and an error context in the folder `files`. */
export type FilesName = 'bank-is-down' | 'card-declined' | 'last-piece' | 'picture-differs' | 'price-below-cost';

const style = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`;
export const dim = style(2, 22);
export const red = style(31, 39);
export const green = style(32, 39);

/** The text of a failed expectation such as `expect(received).toBe(expected)`, in the colors of Playwright and Jest. */
export const expectationText = (subject: string, matcher: string): string =>
  `${dim('expect(')}${red(subject)}${dim(').')}${matcher}${dim('(')}${green('expected')}${dim(')')}`;

export function snippet(line: number, column: number, lines: readonly [string, string, string]): string {
  const numbered = lines.map((text, index) => {
    const number = `${line - 1 + index} |`.padStart(6);
    return index === 1 ? `${red('>')}${number.slice(1)} ${text}` : `${number} ${text}`;
  });
  const pointer = `${' '.repeat(5)}| ${' '.repeat(column - 1)}${red('^')}`;
  return [numbered[0], numbered[1], pointer, numbered[2]].join('\n');
}
