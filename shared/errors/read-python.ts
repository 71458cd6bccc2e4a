/** Parses errors of pytest and unittest in the format in which pytest reports them. */

import { kindOfPlainError } from './read-javascript.ts';
import {
  diffLines,
  type ErrorTexts,
  type Found,
  type FrameLine,
  firstText,
  inLines,
  isBlank,
  linesOf,
  onOneLine,
  PLUS_IS_EXPECTED,
  rest,
  splitAt,
  type Values,
  withoutBlanks,
} from './reading.ts';

const E_LINE = /^E(?: {3}|$)/;
const PLACE = /^(\S{1,500}\.py):(\d{1,7}): ?([\w.]{0,120})/;

/**
 * Whether pytest wrote the error: its stack has lines that begin with `E` or a source location in the format of pytest,
 * or its message is that of a failed fixture.
 */
export const isPython = ({ message, stack }: ErrorTexts): boolean =>
  linesOf(stack).some((line) => line.startsWith('E   ') || PLACE.test(line)) ||
  /^failed on (?:setup|teardown) with "/.test(message);

export function readPython({ message, stack }: ErrorTexts): Found {
  const lines = linesOf(stack);
  const told = lines.filter((line) => E_LINE.test(line)).map((line) => line.slice(4));
  const own = message === 'collection failure' || isBlank(message) ? told : linesOf(message);
  const first = firstText(own);
  const title = first.replace(/^(?:AssertionError|Failed): ?/, '') || (own[1]?.trim() ?? first);
  const placeAt = lines.findLastIndex((line) => PLACE.test(line));
  const [, file = '', line] = PLACE.exec(lines[placeAt] ?? '') ?? [];
  const frame = line === undefined ? null : sourceFrame(lines.slice(0, placeAt), Number(line));
  const statement = onOneLine((frame ?? []).filter(({ isFailing }) => isFailing).map(({ text }) => text));
  return {
    title,
    kind: kindOf(message, title, own),
    ...comparisonIn(own, statement),
    target: inLines(own, (one) => (one.startsWith('+  where ') ? splitAt(one, ' = ')?.[1] : undefined)),
    diff: unittestDiff(own),
    location: line === undefined ? null : { file, line: Number(line), column: null },
    frame,
  };
}

/**
 * Parses the source code that pytest prints above the error. pytest prints no line numbers. The line marked with `>`
 * gets the line number of the location, and the following lines of the same statement count as failing, too.
 */
function sourceFrame(lines: readonly string[], line: number): FrameLine[] | null {
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
  const end = after.findIndex((one) => E_LINE.test(one) || isBlank(one));
  const statement = [lines[markAt] ?? '', ...after.slice(0, end === -1 ? 0 : end)];
  return [
    ...before.map((text, index) => ({ line: line - before.length + index, text, isFailing: false })),
    ...statement.map((text, index) => ({ line: line + index, text: text.replace(/^>/, ' '), isFailing: true })),
  ];
}

type Compared = Values & Pick<Found, 'matcher'>;

const OPERATORS = [' == ', ' != ', ' >= ', ' <= ', ' > ', ' < ', ' not in ', ' in ', ' is not ', ' is '] as const;
/** Extracts the compared values from a failure message of unittest, such as `1 != 2`. */
function sentenceIn(text: string): Values | undefined {
  const plain = splitAt(text, ' : ')?.[0] ?? text;
  const searched = splitAt(plain, ' not found in ', ' unexpectedly found in ');
  if (searched) return { expected: searched[0], received: searched[1] };
  const compared = splitAt(
    plain,
    ' not greater than or equal to ',
    ' not less than or equal to ',
    ' not greater than ',
    ' not less than ',
    ' is not an instance of ',
    ' is not ',
    ' != ',
    ' == ',
  );
  return compared && { received: compared[0], expected: compared[1] };
}

function comparisonIn(lines: readonly string[], statement: string): Compared {
  const raised = /^(?:Failed: )?DID NOT RAISE (?:<class '(.{1,200})'>|(\S{1,200}))/.exec(lines[0] ?? '');
  const method = /\bself\.(assert\w{1,40}|fail\w{0,20})\(/.exec(statement)?.[1];
  const isRaises = raised !== null || /\bpytest\.raises\(/.test(statement);
  const labels = labelledIn(lines);
  if (isRaises) return { matcher: 'raises', ...labels, expected: raised?.[1] ?? raised?.[2] ?? labels.expected };
  const assertion = inLines(lines, (line) => /^(?:AssertionError: )?assert (.{1,4000})$/.exec(line)?.[1]);
  if (assertion !== undefined) return { ...operandsOf(assertion), ...labels };
  if (method === undefined) return labels;
  const first = (lines[0] ?? '').replace(/^AssertionError: /, '');
  return { matcher: method, ...(sentenceIn(first) ?? labels) };
}

/**
 * Splits an assertion into its operands. In `A == B`, the left side is the received value. In `A in B`, it is the
 * expected one.
 */
function operandsOf(assertion: string): Compared {
  if (/^not /.test(assertion) && !OPERATORS.some((one) => assertion.includes(one)))
    return { matcher: 'not', received: assertion.slice('not '.length) };
  for (const operator of OPERATORS) {
    const at = outerIndexOf(assertion, operator) ?? onlyIndexOf(assertion, operator);
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

/** The index of the first occurrence of an operator outside brackets and strings. */
function outerIndexOf(text: string, operator: string): number | undefined {
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

/**
 * The index of an operator that occurs only once. Used for values that pytest shortened, because their brackets and
 * quotes may be unbalanced.
 */
function onlyIndexOf(text: string, operator: string): number | undefined {
  const at = text.indexOf(operator);
  return at !== -1 && at === text.lastIndexOf(operator) && text.includes('...') ? at : undefined;
}

function labelledIn(lines: readonly string[]): Values {
  const expected = inLines(lines, (line) =>
    rest(line, 'Expected: ', 'Expected regex: ', 'Expected message: ', 'Regex: '),
  );
  const received = inLines(lines, (line) => rest(line, 'Obtained: ', 'Actual message: ', 'Input: '));
  return { ...(expected === undefined ? {} : { expected }), ...(received === undefined ? {} : { received }) };
}

/** Parses a diff of unittest, in which `-` marks the first value. The first value is the received one. */
function unittestDiff(lines: readonly string[]) {
  const body = withoutBlanks(lines.slice(1));
  if (!body.some((line) => /^- /.test(line)) || !body.some((line) => /^\+ /.test(line))) return null;
  const start = body.findIndex((line) => /^[-+] /.test(line));
  return diffLines(
    body.slice(start).map((line) => line.replace(/^([-+]) /, '$1')),
    PLUS_IS_EXPECTED,
  );
}

function kindOf(message: string, title: string, lines: readonly string[]): Found['kind'] {
  if (/\[XPASS\(strict\)\]|^Unexpected success/.test(message)) return 'unexpectedPass';
  if (message === 'collection failure' || /^failed on (?:setup|teardown) with "/.test(message)) return 'setup';
  if (/fixture '[^']{1,200}' not found|^ImportError while importing/.test(lines.join('\n'))) return 'setup';
  if (/^(?:Failed: )?Timeout >?/.test(message)) return 'timeout';
  if (/^(?:AssertionError|Failed)\b|^assert /.test(firstText(lines))) return 'assertion';
  if (/^(?:[\w.]{0,100}\.)?Connection(?:Refused|Reset|Aborted)?Error\b|ConnectError\b/.test(title)) return 'network';
  return kindOfPlainError(title);
}
