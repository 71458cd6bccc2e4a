/** Reads errors of Go (with testify and go-cmp), PHPUnit, RSpec, Rust and AVA. */

import { decideTextKind } from './read-javascript.ts';
import {
  BLANK,
  type ErrorTexts,
  findInLines,
  findTextAfter,
  getFirstParagraph,
  getFirstText,
  getLinesAfter,
  getLinesBefore,
  isBlank,
  joinLines,
  MINUS_IS_EXPECTED,
  measureIndent,
  type PartialReading,
  PLUS_IS_EXPECTED,
  parseDiff,
  parseLocation,
  removeBlankLines,
  removeCommonIndent,
  splitAt,
  splitLines,
  type Values,
} from './reading.ts';

// Go

const GO_LINE = /^\s{4,8}([\w./-]{1,300}\.go):(\d{1,7}): ?(.*)$/;

const GO_TEST_LINE = /^\s{4,12}\w[\w.-]{0,100}_test\.go:\d{1,6}: /;

export const isGo = ({ stack }: ErrorTexts): boolean => {
  const lines = splitLines(stack);
  const starts = (...words: readonly string[]) =>
    lines.some((line) => words.some((word) => line.trimStart().startsWith(word)));
  if (starts('=== RUN', '--- FAIL:') || (starts('panic: ') && starts('goroutine '))) return true;
  if (findExampleValues(lines)) return true;
  // Events of `go test -json` have the lines of a test without its head.
  return lines.some((line) => GO_TEST_LINE.test(line));
};

export function readGo({ stack }: ErrorTexts): PartialReading {
  const lines = splitLines(stack);
  const panic = lines.findIndex((line) => /^panic: /.test(line));
  if (panic !== -1) return readPanic(lines, panic);
  const at = lines.findIndex((line) => GO_LINE.test(line));
  if (at === -1) {
    const values = findExampleValues(lines);
    if (values) return { title: `got ${values.received}, want ${values.expected}`, kind: 'assertion', ...values };
    const title = getFirstText(lines.filter((line) => !/^\s*(?:=== |--- )/.test(line)));
    return { title, kind: decideTextKind(title) };
  }
  const [, file = '', line, text = ''] = GO_LINE.exec(lines[at] ?? '') ?? [];
  const location = { file, line: Number(line), column: null };
  const below = getLinesBefore(lines.slice(at + 1), GO_LINE);
  const block = removeCommonIndent(getLinesBefore(below, /^\s{0,4}(?:=== |--- (?:FAIL|PASS|SKIP):)/));
  if (block.some((one) => /^\s*Error Trace:/.test(one))) return { ...readTestify(block), location };
  const title = text.trim() || joinLines(getFirstParagraph(block));
  return {
    title,
    kind: decideTextKind(title) === 'network' ? 'network' : 'assertion',
    ...parseGoValues(title),
    diff: /\(-want \+got\)/.test(title) || block.some((line) => /^[-+] /.test(line)) ? parseGoDiff(block, title) : null,
    location,
  };
}

/** A failed example prints `got:` and `want:`, each above its output. */
function findExampleValues(lines: readonly string[]): Record<'expected' | 'received', string> | undefined {
  const start = lines.findIndex((line) => !/^\s*(?:=== |--- |$)/.test(line));
  const middle = lines.indexOf('want:');
  if (lines[start] !== 'got:' || middle < start) return undefined;
  return {
    received: lines
      .slice(start + 1, middle)
      .join('\n')
      .trim(),
    expected: lines
      .slice(middle + 1)
      .join('\n')
      .trim(),
  };
}

/** If the title says `-got +want`, the signs are swapped. */
const parseGoDiff = (block: readonly string[], title: string) => {
  const signs = /-got \+want/.test(title) ? PLUS_IS_EXPECTED : MINUS_IS_EXPECTED;
  const lines = removeBlankLines(block);
  const least = Math.min(measureIndent(lines[0] ?? ''), 1);
  return parseDiff(
    lines.map((line) => (/^[-+]/.test(line) ? line : ` ${line.slice(least)}`)),
    signs,
  );
};

/** Reads texts such as `Sum(2, 3) = 6, want 5`, `got 6; want 5`, `want 5, got 6` and `expected:5 got:6`. */
function parseGoValues(title: string): Values & Pick<PartialReading, 'target'> {
  const [before, want] = splitAt(title, ', want ', '; want ', ', wanted ', ', expected ', '; expected ') ?? [];
  if (before !== undefined && want !== undefined) {
    const got = splitAt(before, 'got: ', 'got ');
    if (got) return { received: got[1], expected: want };
    const assignment = splitAt(before, ' = ', ' returned ');
    return assignment ? { target: assignment[0], received: assignment[1], expected: want } : {};
  }
  const parts = splitAt(title, ', but got ', ', got ', '; got ', ', got:', ' got:');
  const expectedParts =
    parts && splitAt(parts[0], 'want: ', 'want ', 'wanted ', 'expecting ', 'expected: ', 'expected:', 'expected ');
  return parts && expectedParts ? { expected: expectedParts[1], received: parts[1] } : {};
}

/** Labels such as `Error:`, each with a text that may continue on the lines below. */
function readTestify(block: readonly string[]): PartialReading {
  const parts = new Map<string, string[]>();
  let part: string[] = [];
  for (const line of block) {
    const [, label = '', text = ''] = /^(Error Trace|Error|Test|Messages):(.*)$/.exec(line.trim()) ?? [];
    if (label !== '') {
      part = [text.trim()];
      parts.set(label, part);
    } else part.push(line.trimStart() === '' ? '' : line);
  }
  const error = parts.get('Error') ?? [];
  const continuation = removeCommonIndent(error.slice(1));
  const [first = ''] = error;
  return {
    title: joinLines(parts.get('Messages') ?? []) || joinLines([first, ...getFirstParagraph(continuation)]),
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
  const lengthParts = splitAt(first, '" should have ');
  if (lengthParts) {
    const [, expectedCount = '', count = ''] = /^(\d{1,10}) item\(s\), but has (\d{1,10})/.exec(lengthParts[1]) ?? [];
    return { expected: expectedCount, received: count };
  }
  const contains = splitAt(first, ' does not contain ');
  if (contains) return { received: contains[0], expected: contains[1] };
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

function readPanic(lines: readonly string[], at: number): PartialReading {
  const title = lines[at]?.trim() ?? '';
  const place = lines
    .slice(at)
    .map((line) => /^\s+(\/[^\s:]{1,500}\.go:\d{1,7})(?: \+0x[0-9a-f]{1,16})?$/.exec(line)?.[1])
    .find((path) => path !== undefined && !/\/go\/(?:src|pkg)\//.test(path));
  return {
    title,
    kind: /test timed out after/.test(title) ? 'timeout' : 'crash',
    location: parseLocation(place ?? ''),
  };
}

// PHPUnit

export const isPhp = ({ stack, type }: ErrorTexts): boolean =>
  /^PHPUnit\\/.test(type) || /^\/?[^\s:]{1,500}\.php:\d{1,7}$/m.test(stack);

/** The words that separate the received value from the expected value in a message of PHPUnit. */
const PHP_WORDS = [
  ' is identical to ',
  ' are identical to ',
  ' is equal to ',
  ' are equal to ',
  ' matches expected size ',
  ' matches expected ',
  ' matches PCRE pattern ',
  ' matches regular expression ',
  ' is an instance of class ',
  ' is an instance of interface ',
  ' is of type ',
  ' is greater than ',
  ' is less than ',
  ' contains only instances of ',
  ' contains ',
  ' starts with ',
  ' ends with ',
  ' has the key ',
  ' matches ',
  ' is ',
] as const;

export function readPhp({ message, stack, type }: ErrorTexts): PartialReading {
  const lines = splitLines(stack === '' ? message : stack);
  const start = lines.findIndex((line) => !isBlank(line));
  const isNamed = /^[\w\\]{1,300}::\w{1,300}/.test(lines[start] ?? '');
  const body = lines.slice(isNamed ? start + 1 : start);
  const place = findInLines(body, (line) => /^\S{1,1000}\.php:\d{1,7}$/.exec(line)?.[0]);
  const title = getFirstText(body);
  const sentence = body.find((line) => /^Failed asserting that /.test(line)) ?? '';
  const diff = parseDiff(getLinesBefore(getLinesAfter(body, /^\+\+\+ Actual/), BLANK), MINUS_IS_EXPECTED);
  const isAssertion = /^PHPUnit\\/.test(type) || sentence !== '';
  return {
    title,
    kind: isAssertion ? 'assertion' : decideTextKind(title),
    ...(diff ? { diff } : parsePhpValues(sentence)),
    location: parseLocation(place ?? ''),
  };
}

function parsePhpValues(sentence: string): Values {
  const exceptionMatch =
    /^Failed asserting that exception of type "([^"]{1,300})" (?:is thrown|matches expected exception "([^"]{1,300})")/.exec(
      sentence,
    );
  if (exceptionMatch)
    return exceptionMatch[2] === undefined
      ? { expected: exceptionMatch[1] }
      : { expected: exceptionMatch[2], received: exceptionMatch[1] };
  const claim =
    findTextAfter(
      sentence,
      'Failed asserting that exception message ',
      'Failed asserting that actual size ',
      'Failed asserting that ',
    ) ?? '';
  if (/^two (?:strings|arrays|objects|variables)/.test(claim)) return {};
  // A quoted value may itself contain some of `PHP_WORDS`, so it is skipped first.
  const quotedValue = /^(?:'[^']{0,2000}'|"[^"]{0,2000}")/.exec(claim)?.[0] ?? '';
  const [between = '', expectedText] = splitAt(claim.slice(quotedValue.length), ...PHP_WORDS) ?? [];
  return expectedText === undefined
    ? {}
    : { received: quotedValue + between, expected: expectedText.replace(/\.$/, '') };
}

// RSpec

export const isRuby = ({ stack, type }: ErrorTexts): boolean =>
  /^RSpec::/.test(type) || /^\S{1,1000}\.rb:\d{1,7}:in [`']/m.test(stack);

const RUBY_FRAME = /^(?:# )?(\S{1,1000}\.rb):(\d{1,7}):in /;

export function readRuby({ message, stack, type }: ErrorTexts): PartialReading {
  const lines = splitLines(message);
  const paragraph = getFirstParagraph(lines);
  const first = getFirstText(paragraph);
  const title = /^expected(?: not)?: ?/i.test(first) && paragraph.length > 1 ? joinLines(paragraph) : first;
  const [, file, line] =
    splitLines(stack)
      .map((one) => RUBY_FRAME.exec(one.trim()))
      .find((match) => match && !/\/(?:gems|rubygems|ruby|bin)\//.test(match[1] ?? '')) ?? [];
  const isAssertion = /ExpectationNotMetError|MockExpectationError|MultipleExpectationsNotMetError/.test(type);
  return {
    title,
    kind: decideRubyKind(title, isAssertion),
    ...parseRubyValues(lines, title),
    diff: parseDiff(removeBlankLines(getLinesAfter(lines, /^Diff:/)), MINUS_IS_EXPECTED),
    location: file === undefined ? null : { file, line: Number(line), column: null },
  };
}

function decideRubyKind(title: string, isAssertion: boolean): PartialReading['kind'] {
  if (/^Expected pending .{1,500} to fail\. No error was raised/.test(title)) return 'unexpectedPass';
  if (/^An error occurred while loading/.test(title)) return 'setup';
  return isAssertion ? 'assertion' : decideTextKind(title);
}

function parseRubyValues(lines: readonly string[], title: string): Values & Pick<PartialReading, 'matcher'> {
  const expected = findInLines(lines, (line) => findTextAfter(line, 'expected: '));
  const received = findInLines(lines, (line) => findTextAfter(line, 'got: '));
  if (expected !== undefined) return { expected, received };
  const claim = findTextAfter(title, 'expected ');
  if (claim === undefined) return {};
  const [expectation = claim, got] = splitAt(claim, ', but got ', ', got ', ' but got ', ', but was ') ?? [];
  const phrase = splitAt(expectation, ' to ');
  if (phrase && /^[a-z]/.test(phrase[1])) {
    const words = /^(?:[a-z]{1,20}(?: |$)){1,8}/.exec(phrase[1])?.[0].trim() ?? '';
    const value = phrase[1].slice(words.length).trim();
    return {
      matcher: `to ${words}`,
      expected: value || null,
      received: got ?? (phrase[0].startsWith('`') ? null : phrase[0]),
    };
  }
  if (got !== undefined) return { expected: expectation, received: got.replace(/ with backtrace:$/, '') };
  return { expected: splitAt(claim, ' but nothing was raised')?.[0] };
}

// Rust

/** The location of a Rust panic, such as `tests/tariff.rs:42:21`. */
const findPanicPlace = (line: string): string | undefined =>
  line.startsWith("thread '") ? splitAt(line, 'panicked at ')?.[1].replace(/[:,]$/, '') : undefined;

export const isRust = ({ message, stack }: ErrorTexts): boolean =>
  [...splitLines(message), ...splitLines(stack)].some((line) => findPanicPlace(line) !== undefined);

export function readRust({ message, stack }: ErrorTexts): PartialReading {
  const lines = splitLines(message.includes('panicked at') ? message : stack);
  const at = lines.findIndex((line) => findPanicPlace(line) !== undefined);
  const body = getLinesBefore(lines.slice(at + 1), /^(?:stack backtrace:|note: run with)/);
  const note = lines.findIndex((line) => /^note: panic did not contain expected string/.test(line));
  const reading = note === -1 ? parsePanic(body) : parseShouldPanic(lines.slice(note));
  return { ...reading, location: parseLocation(findPanicPlace(lines[at] ?? '') ?? '') };
}

function parsePanic(lines: readonly string[]): PartialReading {
  const title = getFirstText(lines);
  const operator = /^assertion(?: failed:)? `\(?left (==|!=|matches) right\)?`/.exec(title)?.[1];
  const findSide = (side: string) => findInLines(lines, (line) => findTextAfter(line, `${side}: `)?.replace(/,$/, ''));
  const [left, right] = [findSide('left'), findSide('right')];
  const diff = removeBlankLines(getLinesAfter(lines, /^Diff < left \/ right > ?:/));
  return {
    title,
    kind: /^assertion\b/.test(title) ? 'assertion' : decideTextKind(title) === 'network' ? 'network' : 'error',
    matcher: operator,
    target: title.includes('`') ? undefined : findTextAfter(title, 'assertion failed: '),
    received: left,
    expected: right !== undefined && operator === '!=' ? `not ${right}` : right,
    diff: parseDiff(diff, { expected: '>', received: '<' }),
  };
}

function parseShouldPanic(lines: readonly string[]): PartialReading {
  const text = joinLines(lines);
  const details = splitAt(text, 'panic message: ')?.[1] ?? '';
  const [received = null, expected = null] = splitAt(details, ', expected substring: ', ' expected substring: ') ?? [];
  return { title: (lines[0] ?? '').replace(/^note: /, '').trim(), kind: 'assertion', received, expected };
}

// AVA writes its diagnostics in YAML.

export const isAva = ({ message }: ErrorTexts): boolean => {
  const lines = splitLines(message).map((line) => line.trimStart());
  return (
    lines.some((line) => line.startsWith('at: ')) && lines.some((line) => /^(?:name|assertion|message): /.test(line))
  );
};

export function readAva({ message }: ErrorTexts): PartialReading {
  const lines = removeCommonIndent(splitLines(message));
  const matcher = findYamlValue(lines, 'assertion');
  const name = findYamlValue(lines, 'name') ?? '';
  const text = findYamlValue(lines, 'message') ?? '';
  const details = parseDetails(lines);
  const inline = details.find(({ value }) => value !== undefined);
  const block = details.find(({ label }) => /^Difference/.test(label));
  const isAssertion = matcher !== undefined || /^AssertionError$/.test(name);
  const isPass = /^Test was expected to fail, but succeeded/.test(text);
  const errorText = isAssertion || name === '' ? text : `${name}: ${text}`;
  const title = errorText || (inline ? `${inline.label} ${inline.value}` : (matcher ?? ''));
  return {
    title: title === '' ? (matcher ?? '') : title.replace(/^Error: /, ''),
    kind: isPass ? 'unexpectedPass' : isAssertion ? 'assertion' : decideTextKind(title),
    matcher,
    expected: /^Value is not `(.{1,200})`:/.exec(inline?.label ?? '')?.[1],
    received: inline?.value,
    diff: parseDiff(removeBlankLines(block?.lines ?? []), PLUS_IS_EXPECTED),
  };
}

/** The value of a YAML member, which may be quoted or folded over several lines. */
function findYamlValue(lines: readonly string[], name: string): string | undefined {
  const at = lines.findIndex((line) => line.startsWith(`${name}:`));
  if (at === -1) return undefined;
  const value = lines[at]?.slice(name.length + 1).trim() ?? '';
  return /^[>|]-?$/.test(value) ? joinLines(getLinesBefore(lines.slice(at + 1), /^\S/)) : unquoteYaml(value);
}

const unquoteYaml = (value: string): string =>
  /^'[\s\S]*'$/.test(value) ? value.slice(1, -1).replaceAll("''", "'") : value;

function parseDetails(lines: readonly string[]) {
  const detailLines = removeCommonIndent(getLinesBefore(getLinesAfter(lines, /^details:\s*$/), /^\S/));
  const starts = detailLines.flatMap((line, index) => (/^\S/.test(line) ? [index] : []));
  return starts.map((start, index) => {
    const line = detailLines[start] ?? '';
    const [label = '', value = ''] = (line.startsWith("'") ? splitAt(line.slice(1), "': ") : splitAt(line, ': ')) ?? [];
    const isBlock = /^[>|]-?$/.test(value.trim());
    return {
      label,
      value: isBlock ? undefined : unquoteYaml(value.trim()),
      lines: removeCommonIndent(detailLines.slice(start + 1, starts[index + 1])),
    };
  });
}
