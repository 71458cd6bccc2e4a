/** Splits and searches the lines of an error. */

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

/** The trimmed text after the first of these starts with which the text begins. */
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

/**
 * The first line that is not blank. If it ends with a colon, the next paragraph is appended, unless that has several lines
 * or is part of a diff.
 */
export function getHeadline(lines: readonly string[]): string {
  const first = getFirstText(lines);
  if (!first.endsWith(':')) return first;
  const [next = '', ...others] = getFirstParagraph(getLinesAfter(lines, /\S/));
  return next === '' || others.length > 0 || /^[-+] /.test(next) ? first : `${first} ${next.trim()}`;
}

export function removeCommonIndent(lines: readonly string[]): string[] {
  const least = Math.min(...removeBlankLines(lines).map(measureIndent), Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(least));
}
