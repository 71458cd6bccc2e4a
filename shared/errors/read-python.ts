/** Parses errors of pytest and unittest in the format in which pytest reports them. */

import { PLUS_IS_EXPECTED, parseDiff } from './diff.ts';
import {
  findInLines,
  findTextAfter,
  getFirstText,
  isBlank,
  joinLines,
  removeBlankLines,
  splitAt,
  splitLines,
} from './error-lines.ts';
import type { ErrorTexts, FrameLine, PartialReading, Values } from './reading.ts';
import { decideTextKind } from './text-kind.ts';

const E_LINE = /^E(?: {3}|$)/;
/** Marks a part of the line above, since Python 3.11. */
const MARKS = /^\s*[\^~][\^~ ]*$/;
const PLACE = /^(\S{1,500}\.py):(\d{1,7}): ?([\w.]{0,120})/;

/** By lines that begin with `E`, a location in the format of pytest, or the message of a failed fixture. */
export const isPython = ({ message, stack }: ErrorTexts): boolean =>
  splitLines(stack).some((line) => line.startsWith('E   ') || PLACE.test(line)) ||
  /^failed on (?:setup|teardown) with "/.test(message);

export function readPython({ message, stack }: ErrorTexts): PartialReading {
  const lines = splitLines(stack);
  const markedLines = lines.filter((line) => E_LINE.test(line)).map((line) => line.slice(4));
  const messageLines = message === 'collection failure' || isBlank(message) ? markedLines : splitLines(message);
  const first = getFirstText(messageLines);
  const title = first.replace(/^(?:AssertionError|Failed): ?/, '') || (messageLines[1]?.trim() ?? first);
  const placeAt = lines.findLastIndex((line) => PLACE.test(line));
  const [, file = '', line] = PLACE.exec(lines[placeAt] ?? '') ?? [];
  const frame = line === undefined ? null : parseSourceFrame(lines.slice(0, placeAt), Number(line));
  const statement = joinLines((frame ?? []).filter(({ isFailing }) => isFailing).map(({ text }) => text));
  return {
    title,
    kind: decidePythonKind(message, title, messageLines),
    ...parseComparison(messageLines, statement),
    target: findInLines(messageLines, (one) => (one.startsWith('+  where ') ? splitAt(one, ' = ')?.[1] : undefined)),
    diff: parseUnittestDiff(messageLines),
    location: line === undefined ? null : { file, line: Number(line), column: null },
    frame,
  };
}

/** pytest prints no line numbers. The line marked with `>` is that of the location. Its whole statement is failing. */
function parseSourceFrame(lines: readonly string[], line: number): FrameLine[] | null {
  const markAt = lines.findLastIndex((one) => /^>/.test(one));
  if (markAt === -1) return null;
  let start = markAt;
  while (start > 0 && !/^(?:_ ){3,}/.test(lines[start - 1] ?? '')) start -= 1;
  // pytest prints the arguments and `self` above the source code, and a blank line in between.
  const source = lines.slice(start, markAt);
  const blank = source.findLastIndex(
    (one, index) => isBlank(one) && /^\s*(?:async def |def |@|class )/.test(source[index + 1] ?? ''),
  );
  const before = source.slice(blank + 1);
  while (before.length > 0 && isBlank(before[0] ?? '')) before.shift();
  const after = lines.slice(markAt + 1);
  const end = after.findIndex((one) => E_LINE.test(one) || MARKS.test(one) || isBlank(one));
  const statement = [lines[markAt] ?? '', ...after.slice(0, end === -1 ? 0 : end)];
  return [
    ...before.map((text, index) => ({ line: line - before.length + index, text, isFailing: false })),
    ...statement.map((text, index) => ({ line: line + index, text: text.replace(/^>/, ' '), isFailing: true })),
  ];
}

type PythonComparison = Values & Pick<PartialReading, 'matcher'>;

const OPERATORS = [' == ', ' != ', ' >= ', ' <= ', ' > ', ' < ', ' not in ', ' in ', ' is not ', ' is '] as const;
/** Extracts the compared values from a failure message of unittest, such as `1 != 2`. */
function parseSentence(text: string): Values | undefined {
  const sentence = splitAt(text, ' : ')?.[0] ?? text;
  const containment = splitAt(sentence, ' not found in ', ' unexpectedly found in ');
  if (containment) return { expected: containment[0], received: containment[1] };
  const comparison = splitAt(
    sentence,
    ' not greater than or equal to ',
    ' not less than or equal to ',
    ' not greater than ',
    ' not less than ',
    ' is not an instance of ',
    ' is not ',
    ' != ',
    ' == ',
  );
  return comparison && { received: comparison[0], expected: comparison[1] };
}

function parseComparison(lines: readonly string[], statement: string): PythonComparison {
  const raisesMatch = /^(?:Failed: )?DID NOT RAISE (?:<class '(.{1,200})'>|(\S{1,200}))/.exec(lines[0] ?? '');
  const method = /\bself\.(assert\w{1,40}|fail\w{0,20})\(/.exec(statement)?.[1];
  const isRaises = raisesMatch !== null || /\bpytest\.raises\(/.test(statement);
  const labels = readLabelledValues(lines);
  if (isRaises)
    return { matcher: 'raises', ...labels, expected: raisesMatch?.[1] ?? raisesMatch?.[2] ?? labels.expected };
  const assertion = findInLines(lines, (line) => /^(?:AssertionError: )?assert (.{1,4000})$/.exec(line)?.[1]);
  if (assertion !== undefined) return { ...splitOperands(assertion), ...labels };
  if (method === undefined) return labels;
  const first = (lines[0] ?? '').replace(/^AssertionError: /, '');
  return { matcher: method, ...(parseSentence(first) ?? labels) };
}

/** In `A == B`, the left side is the received value. In `A in B`, it is the expected one. */
function splitOperands(assertion: string): PythonComparison {
  if (/^not /.test(assertion) && !OPERATORS.some((one) => assertion.includes(one)))
    return { matcher: 'not', received: assertion.slice('not '.length) };
  for (const operator of OPERATORS) {
    const at = findOuterIndex(assertion, operator) ?? findOnlyIndex(assertion, operator);
    if (at === undefined) continue;
    const [left, right] = [assertion.slice(0, at), assertion.slice(at + operator.length)];
    const matcher = operator.trim();
    if (matcher === 'in') return { matcher, expected: left, received: right };
    if (matcher === 'not in') return { matcher, expected: `not ${left}`, received: right };
    if (matcher === '!=' || matcher === 'is not') return { matcher, expected: `not ${right}`, received: left };
    return { matcher, expected: right, received: left };
  }
  return { received: assertion };
}

/** Outside brackets and strings. */
function findOuterIndex(text: string, operator: string): number | undefined {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (quote !== '') {
      if (letter === '\\') at += 1;
      else if (letter === quote) quote = '';
    } else if (letter === '"' || letter === "'") quote = letter;
    else if ('([{'.includes(letter)) depth += 1;
    else if (')]}'.includes(letter)) depth -= 1;
    else if (depth <= 0 && text.startsWith(operator, at)) return at;
  }
  return undefined;
}

/** For values that pytest shortened: their brackets and quotes may be unbalanced, so the operator must be unique. */
function findOnlyIndex(text: string, operator: string): number | undefined {
  const at = text.indexOf(operator);
  return at !== -1 && at === text.lastIndexOf(operator) && text.includes('...') ? at : undefined;
}

function readLabelledValues(lines: readonly string[]): Values {
  const expected = findInLines(lines, (line) =>
    findTextAfter(line, 'Expected: ', 'Expected regex: ', 'Expected message: ', 'Regex: '),
  );
  const received = findInLines(lines, (line) => findTextAfter(line, 'Obtained: ', 'Actual message: ', 'Input: '));
  return { ...(expected === undefined ? {} : { expected }), ...(received === undefined ? {} : { received }) };
}

/** Parses a diff of unittest, in which `-` marks the first value. The first value is the received one. */
function parseUnittestDiff(lines: readonly string[]) {
  const body = removeBlankLines(lines.slice(1));
  if (!body.some((line) => /^- /.test(line)) || !body.some((line) => /^\+ /.test(line))) return null;
  const start = body.findIndex((line) => /^[-+] /.test(line));
  return parseDiff(
    body.slice(start).map((line) => line.replace(/^([-+]) /, '$1')),
    PLUS_IS_EXPECTED,
  );
}

function decidePythonKind(message: string, title: string, lines: readonly string[]): PartialReading['kind'] {
  if (/\[XPASS\(strict\)\]|^Unexpected success/.test(message)) return 'unexpectedPass';
  if (message === 'collection failure' || /^failed on (?:setup|teardown) with "/.test(message)) return 'setup';
  if (/fixture '[^']{1,200}' not found|^ImportError while importing/.test(lines.join('\n'))) return 'setup';
  if (/^(?:Failed: )?Timeout >?/.test(message)) return 'timeout';
  if (/^(?:AssertionError|Failed)\b|^assert /.test(getFirstText(lines))) return 'assertion';
  if (/^(?:[\w.]{0,100}\.)?Connection(?:Refused|Reset|Aborted)?Error\b|ConnectError\b/.test(title)) return 'network';
  return decideTextKind(title);
}
