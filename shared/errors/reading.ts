/** The result of parsing an error, and the helpers that the parsers of all test frameworks share. */

type ErrorKind = 'assertion' | 'crash' | 'error' | 'network' | 'setup' | 'timeout' | 'unexpectedPass';

/** A line of a diff: `-` was expected, `+` was received. */
export interface DiffLine {
  readonly op: '-' | '+' | ' ';
  readonly text: string;
}

export interface FrameLine {
  readonly line: number;
  readonly text: string;
  readonly isFailing: boolean;
}

export interface SourceLocation {
  /** The path as the framework printed it. */
  readonly file: string;
  readonly line: number;
  readonly column: number | null;
}

export interface ErrorReading {
  readonly kind: ErrorKind;
  /** The headline, without the class of an assertion error. */
  readonly title: string;
  /** Name of the assertion: `toHaveText`, `not.toBe`, `to equal`, `==`. */
  readonly matcher: string | null;
  /** What the assertion checked, if the error names it: a locator, a variable or an expression. */
  readonly target: string | null;
  /** The expected value as the framework printed it, without its label. */
  readonly expected: string | null;
  readonly received: string | null;
  readonly diff: readonly DiffLine[] | null;
  /** The topmost frame of the user's own code. */
  readonly location: SourceLocation | null;
  readonly frame: readonly FrameLine[] | null;
  readonly signals: {
    /** The first line of the last entry in Playwright's call log. */
    readonly lastLog: string | null;
    /** A code such as `ECONNREFUSED` or `ERR_EMPTY_RESPONSE`. */
    readonly code: string | null;
  };
}

/** The texts of an error. The message, the stack and the snippet have no color codes and a limited length. */
export interface ErrorTexts {
  readonly message: string;
  readonly stack: string;
  readonly snippet: string;
  readonly type: string;
}

/** The members that a parser returns. All except the title have a default. */
export type PartialReading = Pick<ErrorReading, 'title'> &
  Partial<Omit<ErrorReading, 'signals'>> & { readonly lastLog?: string | undefined };

export type Values = Pick<PartialReading, 'expected' | 'received'>;

/** Splits the text at the first occurrence of any separator. A regular expression would take more than linear time. */
export function splitAt(
  text: string,
  ...separators: readonly string[]
): readonly [before: string, after: string] | undefined {
  const match = separators
    .map((separator) => ({ separator, at: text.indexOf(separator) }))
    .filter(({ at }) => at !== -1)
    .toSorted((one, other) => one.at - other.at)[0];
  return match && [text.slice(0, match.at), text.slice(match.at + match.separator.length)];
}

export const findTextAfter = (text: string, ...starts: readonly string[]): string | undefined => {
  const start = starts.find((one) => text.startsWith(one));
  return start === undefined ? undefined : text.slice(start.length).trim();
};

/** Calls `read` with each trimmed line, and returns the first result that is not `undefined`. */
export function findInLines<Result>(
  lines: readonly string[],
  read: (line: string) => Result | undefined,
): Result | undefined {
  for (const line of lines) {
    const result = read(line.trim());
    if (result !== undefined) return result;
  }
  return undefined;
}

export const splitLines = (text: string): string[] => text.split(/\r?\n/);

export const isBlank = (line: string): boolean => line.trim() === '';
export const BLANK = /^\s*$/;

export const removeBlankLines = (lines: readonly string[]): string[] => lines.filter((line) => !isBlank(line));

/** The first line that is not blank, without the spaces around it. */
export const getFirstText = (lines: readonly string[]): string => lines.find((line) => !isBlank(line))?.trim() ?? '';

/** The lines before the first one that matches. All lines if none does. */
export function getLinesBefore(lines: readonly string[], pattern: RegExp): string[] {
  const end = lines.findIndex((line) => pattern.test(line));
  return lines.slice(0, end === -1 ? undefined : end);
}

/** The lines after the first one that matches. No lines if none does. */
export function getLinesAfter(lines: readonly string[], pattern: RegExp): string[] {
  const start = lines.findIndex((line) => pattern.test(line));
  return start === -1 ? [] : lines.slice(start + 1);
}

export function getFirstParagraph(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => !isBlank(line));
  return start === -1 ? [] : getLinesBefore(lines.slice(start), BLANK);
}

export const joinLines = (lines: readonly string[]): string =>
  removeBlankLines(lines)
    .map((line) => line.trim())
    .join(' ');

export const measureIndent = (line: string): number => line.length - line.trimStart().length;

/** Appends the next paragraph to a line that ends with a colon, if it is a single line that is not part of a diff. */
export function getHeadline(lines: readonly string[]): string {
  const first = getFirstText(lines);
  if (!first.endsWith(':')) return first;
  const next = getFirstParagraph(getLinesAfter(lines, /\S/));
  return next.length === 1 && !/^[-+] /.test(next[0] ?? '') ? `${first} ${next[0]?.trim()}` : first;
}

export function removeCommonIndent(lines: readonly string[]): string[] {
  const least = Math.min(...removeBlankLines(lines).map(measureIndent), Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(least));
}

/** Parses the lines of a diff. Drops headings (`@@`), caret lines (`?`), and blank lines at both ends. */
export function parseDiff(lines: readonly string[], signs: typeof MINUS_IS_EXPECTED): DiffLine[] | null {
  const diff = lines
    .filter((line) => !line.startsWith('@@') && !/^\? /.test(line) && line !== '?')
    .map((line): DiffLine => {
      const text = line.slice(1);
      if (line.startsWith(signs.expected)) return { op: '-', text };
      return line.startsWith(signs.received) ? { op: '+', text } : { op: ' ', text };
    });
  const start = diff.findIndex(({ text }) => !isBlank(text));
  const end = diff.findLastIndex(({ text }) => !isBlank(text));
  return diff.some(({ op }) => op !== ' ') ? diff.slice(start, end + 1) : null;
}

export const MINUS_IS_EXPECTED = { expected: '-', received: '+' };
export const PLUS_IS_EXPECTED = { expected: '+', received: '-' };

/** Matches a numbered line of a code frame without its indentation, such as `> 12 | await page.click()`. */
const CODE_LINE = /^(?:(>) {0,9})?(\d{1,7}) \|(.*)$/;
const isCaretLine = (line: string): boolean => line.trimStart().startsWith('|');
export const isFrameLine = (line: string): boolean => CODE_LINE.test(line.trimStart()) || isCaretLine(line);

/** A frame that marks another line than the location is of another error. Without a location, the first one counts. */
export function findCodeFrame(lines: readonly string[], location: SourceLocation | null): FrameLine[] | null {
  let frame: FrameLine[] = [];
  const isIt = () => frame.some(({ line, isFailing }) => isFailing && (location === null || line === location.line));
  for (const line of lines) {
    const [, mark, number, text = ''] = CODE_LINE.exec(line.trimStart()) ?? [];
    if (number !== undefined)
      frame.push({ line: Number(number), text: text.replace(/^ /, ''), isFailing: mark !== undefined });
    else if (!isCaretLine(line)) {
      if (isIt()) return frame;
      frame = [];
    }
  }
  return isIt() ? frame : null;
}

/** `path:line:column`, with an optional column. */
const PLACE = /^(?:file:\/\/)?(.{1,1000}?):(\d{1,7})(?::(\d{1,7}))?$/;

export function parseLocation(text: string): SourceLocation | undefined {
  const [, file = '', line, column] = PLACE.exec(text) ?? [];
  return line === undefined ? undefined : { file, line: Number(line), column: column ? Number(column) : null };
}
