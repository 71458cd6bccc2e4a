/** Reads the code frames and source locations that errors print. */
import type { FrameLine, SourceLocation } from './reading.ts';

/** Matches a numbered line of a code frame without its indentation, such as `> 12 | await page.click()`. */
const CODE_LINE = /^(?:(>) {0,9})?(\d{1,7}) \|(.*)$/;
const isCaretLine = (line: string): boolean => line.trimStart().startsWith('|');
export const isFrameLine = (line: string): boolean => CODE_LINE.test(line.trimStart()) || isCaretLine(line);

/** A frame that marks another line than the location is of another error. Without a location, the first one counts. */
export function findCodeFrame(lines: readonly string[], location: SourceLocation | null): FrameLine[] | null {
  let frame: FrameLine[] = [];
  const isOfError = () =>
    frame.some(({ line, isFailing }) => isFailing && (location === null || line === location.line));
  for (const line of lines) {
    const [, mark, number, text = ''] = CODE_LINE.exec(line.trimStart()) ?? [];
    if (number !== undefined)
      frame.push({ line: Number(number), text: text.replace(/^ /, ''), isFailing: mark !== undefined });
    else if (!isCaretLine(line)) {
      if (isOfError()) return frame;
      frame = [];
    }
  }
  return isOfError() ? frame : null;
}

/** `path:line:column`, with an optional column. */
const PLACE = /^(?:file:\/\/)?(.{1,1000}?):(\d{1,7})(?::(\d{1,7}))?$/;

export function parseLocation(text: string): SourceLocation | undefined {
  const [, file = '', line, column] = PLACE.exec(text) ?? [];
  return line === undefined ? undefined : { file, line: Number(line), column: column ? Number(column) : null };
}
