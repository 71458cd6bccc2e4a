/** Parses the diff of an expected and a received value. */
import { isBlank } from './error-lines.ts';
import type { DiffLine } from './reading.ts';

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
