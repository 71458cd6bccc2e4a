/** Reads errors of Go, with testify and go-cmp. */

import { parseLocation } from './code-frame.ts';
import { MINUS_IS_EXPECTED, PLUS_IS_EXPECTED, parseDiff } from './diff.ts';
import {
  findInLines,
  findTextAfter,
  getFirstParagraph,
  getFirstText,
  getLinesAfter,
  getLinesBefore,
  isBlank,
  joinLines,
  measureIndent,
  removeBlankLines,
  removeCommonIndent,
  splitAt,
  splitLines,
} from './error-lines.ts';
import type { ErrorTexts, PartialReading, Values } from './reading.ts';
import { decideTextKind } from './text-kind.ts';

/** The line with the location and the text of a failure. */
const FAILURE_LINE = /^\s{4,8}([\w./-]{1,300}\.go):(\d{1,7}): ?(.*)$/;
const TEST_FILE_LINE = /^\s{4,12}\w[\w.-]{0,100}_test\.go:\d{1,6}: /;

export const isGo = ({ stack }: ErrorTexts): boolean => {
  const lines = splitLines(stack);
  const starts = (...words: readonly string[]) =>
    lines.some((line) => words.some((word) => line.trimStart().startsWith(word)));
  if (starts('=== RUN', '--- FAIL:') || (starts('panic: ') && starts('goroutine '))) return true;
  if (findExampleValues(lines)) return true;
  // Events of `go test -json` have the lines of a test without its head.
  return lines.some((line) => TEST_FILE_LINE.test(line));
};

export function readGo({ stack }: ErrorTexts): PartialReading {
  const lines = splitLines(stack);
  const panicIndex = lines.findIndex((line) => line.startsWith('panic: '));
  if (panicIndex !== -1) return readPanic(lines.slice(panicIndex));
  const failureIndex = lines.findIndex((line) => FAILURE_LINE.test(line));
  return failureIndex === -1 ? readWithoutLocation(lines) : readFailure(lines.slice(failureIndex));
}

function readWithoutLocation(lines: readonly string[]): PartialReading {
  const values = findExampleValues(lines);
  if (values) return { title: `got ${values.received}, want ${values.expected}`, kind: 'assertion', ...values };
  const title = getFirstText(lines.filter((line) => !/^\s*(?:=== |--- )/.test(line)));
  return { title, kind: decideTextKind(title) };
}

function readFailure([first = '', ...others]: readonly string[]): PartialReading {
  const [, file = '', line, text = ''] = FAILURE_LINE.exec(first) ?? [];
  const location = { file, line: Number(line), column: null };
  const linesBelow = getLinesBefore(others, FAILURE_LINE);
  const block = removeCommonIndent(getLinesBefore(linesBelow, /^\s{0,4}(?:=== |--- (?:FAIL|PASS|SKIP):)/));
  if (block.some((blockLine) => /^\s*Error Trace:/.test(blockLine))) return { ...readTestify(block), location };
  const title = text.trim() || joinLines(getFirstParagraph(block));
  const hasDiff = title.includes('(-want +got)') || block.some((blockLine) => /^[-+] /.test(blockLine));
  return {
    title,
    kind: decideTextKind(title) === 'network' ? 'network' : 'assertion',
    ...parseGoValues(title),
    diff: hasDiff ? parseGoDiff(block, title) : null,
    location,
  };
}

/** A failed example prints `got:` and `want:`, each above its output. */
function findExampleValues(lines: readonly string[]): Record<'expected' | 'received', string> | undefined {
  const start = lines.findIndex((line) => !/^\s*(?:=== |--- |$)/.test(line));
  const middle = lines.indexOf('want:');
  if (lines[start] !== 'got:' || middle < start) return undefined;
  const joinOutput = (output: readonly string[]) => output.join('\n').trim();
  return { received: joinOutput(lines.slice(start + 1, middle)), expected: joinOutput(lines.slice(middle + 1)) };
}

/** If the title says `-got +want`, the signs are swapped. */
function parseGoDiff(block: readonly string[], title: string): PartialReading['diff'] {
  const signs = title.includes('-got +want') ? PLUS_IS_EXPECTED : MINUS_IS_EXPECTED;
  const lines = removeBlankLines(block);
  const indent = Math.min(measureIndent(lines[0] ?? ''), 1);
  const diffLines = lines.map((line) => (/^[-+]/.test(line) ? line : ` ${line.slice(indent)}`));
  return parseDiff(diffLines, signs);
}

/** Reads texts such as `Sum(2, 3) = 6, want 5`, `got 6; want 5`, `want 5, got 6` and `expected:5 got:6`. */
function parseGoValues(title: string): Values & Pick<PartialReading, 'target'> {
  const [before, want] = splitAt(title, ', want ', '; want ', ', wanted ', ', expected ', '; expected ') ?? [];
  if (before !== undefined && want !== undefined) {
    const got = splitAt(before, 'got: ', 'got ');
    if (got) return { received: got[1], expected: want };
    const assignment = splitAt(before, ' = ', ' returned ');
    return assignment ? { target: assignment[0], received: assignment[1], expected: want } : {};
  }
  const [claim, received] = splitAt(title, ', but got ', ', got ', '; got ', ', got:', ' got:') ?? [];
  if (claim === undefined) return {};
  const labels = ['want: ', 'want ', 'wanted ', 'expecting ', 'expected: ', 'expected:', 'expected '] as const;
  const expected = splitAt(claim, ...labels)?.[1];
  return expected === undefined ? {} : { expected, received };
}

/** testify prints labels such as `Error:`, each with a text that may continue on the lines below. */
function readTestify(block: readonly string[]): PartialReading {
  const linesByLabel = new Map<string, string[]>();
  let labelLines: string[] = [];
  for (const line of block) {
    const [, label = '', text = ''] = /^(Error Trace|Error|Test|Messages):(.*)$/.exec(line.trim()) ?? [];
    if (label !== '') {
      labelLines = [text.trim()];
      linesByLabel.set(label, labelLines);
    } else labelLines.push(isBlank(line) ? '' : line);
  }
  const [first = '', ...others] = linesByLabel.get('Error') ?? [];
  const continuation = removeCommonIndent(others);
  return {
    title: joinLines(linesByLabel.get('Messages') ?? []) || joinLines([first, ...getFirstParagraph(continuation)]),
    kind: 'assertion',
    ...parseTestifyValues([first, ...continuation]),
    diff: parseDiff(removeCommonIndent(removeBlankLines(getLinesAfter(continuation, /^\s*@@ /))), MINUS_IS_EXPECTED),
  };
}

function parseTestifyValues(lines: readonly string[]): Values {
  const first = getFirstText(lines);
  const expected = findInLines(lines, (line) => findTextAfter(line, 'expected: ', 'expected:'));
  const received = findInLines(lines, (line) => findTextAfter(line, 'actual  : ', 'actual  :', 'actual: '));
  if (expected !== undefined) return { expected, received };
  const lengthClaim = splitAt(first, '" should have ')?.[1];
  if (lengthClaim !== undefined) {
    const [, expectedCount = '', count = ''] = /^(\d{1,10}) item\(s\), but has (\d{1,10})/.exec(lengthClaim) ?? [];
    return { expected: expectedCount, received: count };
  }
  const [container, element] = splitAt(first, ' does not contain ') ?? [];
  if (container !== undefined) return { received: container, expected: element };
  if (/^(?:Received unexpected error|Expected nil, but got)/.test(first))
    return { received: splitAt(joinLines(lines), ': ')?.[1] };
  const comparison = splitAt(
    first,
    '" is not greater than or equal to "',
    '" is not less than or equal to "',
    '" is not greater than "',
    '" is not less than "',
  );
  if (comparison) return { received: comparison[0].replace(/^"/, ''), expected: comparison[1].replace(/"$/, '') };
  return { expected: /^Should be (true|false|empty|zero)/.exec(first)?.[1] };
}

function readPanic(lines: readonly string[]): PartialReading {
  const title = lines[0]?.trim() ?? '';
  const place = lines
    .map((line) => /^\s+(\/[^\s:]{1,500}\.go:\d{1,7})(?: \+0x[0-9a-f]{1,16})?$/.exec(line)?.[1])
    .find((path) => path !== undefined && !/\/go\/(?:src|pkg)\//.test(path));
  const kind = title.includes('test timed out after') ? 'timeout' : 'crash';
  return { title, kind, location: parseLocation(place ?? '') };
}
