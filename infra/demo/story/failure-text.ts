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
  readonly files?: FilesName;
  /** Whether there is also a video with the same base name. */
  readonly hasVideo?: true;
  readonly snapshots?: readonly SnapshotName[];
  /** The errors of soft assertions that failed after this one. */
  readonly laterErrors?: readonly StoryFailure[];
  /** The time that the failed step waits, in milliseconds. */
  readonly waits: number;
}

/** Base name of a trace, a screenshot and an error context in the folder `files`. */
export type FilesName = 'bank-is-down' | 'card-declined' | 'last-piece' | 'picture-differs' | 'price-below-cost';

/** Base name of the expected and the actual picture of a snapshot comparison, and of their difference. */
export type SnapshotName = 'contract-table' | 'offer-badge' | 'offer-card' | 'zoomed';

const makeAnsiStyle = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`;
export const dim = makeAnsiStyle(2, 22);
export const red = makeAnsiStyle(31, 39);
export const green = makeAnsiStyle(32, 39);

/** The text of a failed expectation such as `expect(received).toBe(expected)`, in the colors of Playwright and Jest. */
export const formatExpectation = (subject: string, matcher: string): string =>
  `${dim('expect(')}${red(subject)}${dim(').')}${matcher}${dim('(')}${green('expected')}${dim(')')}`;

export function formatSnippet(line: number, column: number, lines: readonly [string, string, string]): string {
  const numberedLines = lines.map((text, index) => {
    const number = `${line - 1 + index} |`.padStart(6);
    return index === 1 ? `${red('>')}${number.slice(1)} ${text}` : `${number} ${text}`;
  });
  const pointer = `${' '.repeat(5)}| ${' '.repeat(column - 1)}${red('^')}`;
  return [numberedLines[0], numberedLines[1], pointer, numberedLines[2]].join('\n');
}
