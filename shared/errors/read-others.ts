/** Reads errors of Go (with testify and go-cmp), PHPUnit, RSpec, Rust and AVA. */

import { kindOfPlainError } from './read-javascript.ts';
import {
  BLANK,
  dedented,
  diffLines,
  type ErrorTexts,
  type Found,
  firstParagraph,
  firstText,
  indentOf,
  inLines,
  isBlank,
  linesAfter,
  linesBefore,
  linesOf,
  MINUS_IS_EXPECTED,
  onOneLine,
  PLUS_IS_EXPECTED,
  placeOf,
  rest,
  splitAt,
  type Values,
  withoutBlanks,
} from './reading.ts';

// Go

const GO_LINE = /^\s{4,8}([\w./-]{1,300}\.go):(\d{1,7}): ?(.*)$/;

export const isGo = ({ stack }: ErrorTexts): boolean => {
  const lines = linesOf(stack);
  const starts = (...words: readonly string[]) =>
    lines.some((line) => words.some((word) => line.trimStart().startsWith(word)));
  return starts('=== RUN', '--- FAIL:') || (starts('panic: ') && starts('goroutine '));
};

export function readGo({ stack }: ErrorTexts): Found {
  const lines = linesOf(stack);
  const panic = lines.findIndex((line) => /^panic: /.test(line));
  if (panic !== -1) return readPanic(lines, panic);
  const at = lines.findIndex((line) => GO_LINE.test(line));
  if (at === -1) {
    const title = firstText(lines.filter((line) => !/^\s*(?:=== |--- )/.test(line)));
    return { title, kind: kindOfPlainError(title) };
  }
  const [, file = '', line, text = ''] = GO_LINE.exec(lines[at] ?? '') ?? [];
  const location = { file, line: Number(line), column: null };
  const below = linesBefore(lines.slice(at + 1), GO_LINE);
  const block = dedented(linesBefore(below, /^\s{0,4}(?:=== |--- (?:FAIL|PASS|SKIP):)/));
  if (block.some((one) => /^\s*Error Trace:/.test(one))) return { ...readTestify(block), location };
  const title = text.trim() || onOneLine(firstParagraph(block));
  return {
    title,
    kind: kindOfPlainError(title) === 'network' ? 'network' : 'assertion',
    ...wantedIn(title),
    diff: /\(-want \+got\)/.test(title) || block.some((line) => /^[-+] /.test(line)) ? goDiff(block, title) : null,
    location,
  };
}

/** Reads a diff of go-cmp. If the title says `-got +want`, the signs are swapped. */
const goDiff = (block: readonly string[], title: string) => {
  const signs = /-got \+want/.test(title) ? PLUS_IS_EXPECTED : MINUS_IS_EXPECTED;
  const lines = withoutBlanks(block);
  const least = Math.min(indentOf(lines[0] ?? ''), 1);
  return diffLines(
    lines.map((line) => (/^[-+]/.test(line) ? line : ` ${line.slice(least)}`)),
    signs,
  );
};

/** Reads texts such as `Sum(2, 3) = 6, want 5`, `got 6; want 5` and `want 5, got 6`. */
function wantedIn(title: string): Values & Pick<Found, 'target'> {
  const [before, want] = splitAt(title, ', want ', '; want ', ', wanted ', ', expected ', '; expected ') ?? [];
  if (before !== undefined && want !== undefined) {
    const got = splitAt(before, 'got: ', 'got ');
    if (got) return { received: got[1], expected: want };
    const named = splitAt(before, ' = ', ' returned ');
    return named ? { target: named[0], received: named[1], expected: want } : {};
  }
  const turned = splitAt(title, ', but got ', ', got ', '; got ');
  const expected = turned && splitAt(turned[0], 'want: ', 'want ', 'wanted ', 'expected: ', 'expected ');
  return turned && expected ? { expected: expected[1], received: turned[1] } : {};
}

/**
 * Reads the output of a testify assertion: labels such as `Error:`, each with a text that may continue on the lines
 * below.
 */
function readTestify(block: readonly string[]): Found {
  const parts = new Map<string, string[]>();
  let own: string[] = [];
  for (const line of block) {
    const [, label = '', text = ''] = /^(Error Trace|Error|Test|Messages):(.*)$/.exec(line.trim()) ?? [];
    if (label !== '') {
      own = [text.trim()];
      parts.set(label, own);
    } else own.push(line.trimStart() === '' ? '' : line);
  }
  const error = parts.get('Error') ?? [];
  const continued = dedented(error.slice(1));
  const [first = ''] = error;
  return {
    title: onOneLine(parts.get('Messages') ?? []) || onOneLine([first, ...firstParagraph(continued)]),
    kind: 'assertion',
    ...testifyValues([first, ...continued]),
    diff: diffLines(dedented(withoutBlanks(linesAfter(continued, /^\s*@@ /))), MINUS_IS_EXPECTED),
  };
}

function testifyValues(lines: readonly string[]): Values {
  const first = firstText(lines);
  const expected = inLines(lines, (line) => rest(line, 'expected: ', 'expected:'));
  const received = inLines(lines, (line) => rest(line, 'actual  : ', 'actual  :', 'actual: '));
  if (expected !== undefined) return { expected, received };
  const counted = splitAt(first, '" should have ');
  if (counted) {
    const [, wanted = '', count = ''] = /^(\d{1,10}) item\(s\), but has (\d{1,10})/.exec(counted[1]) ?? [];
    return { expected: wanted, received: count };
  }
  const contains = splitAt(first, ' does not contain ');
  if (contains) return { received: contains[0], expected: contains[1] };
  if (/^(?:Received unexpected error|Expected nil, but got)/.test(first))
    return { received: splitAt(onOneLine(lines), ': ')?.[1] };
  const compared = splitAt(
    first,
    '" is not greater than or equal to "',
    '" is not less than or equal to "',
    '" is not greater than "',
    '" is not less than "',
  );
  if (compared) return { received: compared[0].replace(/^"/, ''), expected: compared[1].replace(/"$/, '') };
  return { expected: /^Should be (true|false|empty|zero)/.exec(first)?.[1] };
}

function readPanic(lines: readonly string[], at: number): Found {
  const title = lines[at]?.trim() ?? '';
  const place = lines
    .slice(at)
    .map((line) => /^\s+(\/[^\s:]{1,500}\.go:\d{1,7})(?: \+0x[0-9a-f]{1,16})?$/.exec(line)?.[1])
    .find((found) => found !== undefined && !/\/go\/(?:src|pkg)\//.test(found));
  return { title, kind: /test timed out after/.test(title) ? 'timeout' : 'crash', location: placeOf(place ?? '') };
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

export function readPhp({ message, stack, type }: ErrorTexts): Found {
  const lines = linesOf(stack === '' ? message : stack);
  const start = lines.findIndex((line) => !isBlank(line));
  const isNamed = /^[\w\\]{1,300}::\w{1,300}/.test(lines[start] ?? '');
  const own = lines.slice(isNamed ? start + 1 : start);
  const place = inLines(own, (line) => /^\S{1,1000}\.php:\d{1,7}$/.exec(line)?.[0]);
  const title = firstText(own);
  const sentence = own.find((line) => /^Failed asserting that /.test(line)) ?? '';
  const diff = diffLines(linesBefore(linesAfter(own, /^\+\+\+ Actual/), BLANK), MINUS_IS_EXPECTED);
  const isAssertion = /^PHPUnit\\/.test(type) || sentence !== '';
  return {
    title,
    kind: isAssertion ? 'assertion' : kindOfPlainError(title),
    ...(diff ? { diff } : phpValues(sentence)),
    location: placeOf(place ?? ''),
  };
}

function phpValues(sentence: string): Values {
  const thrown =
    /^Failed asserting that exception of type "([^"]{1,300})" (?:is thrown|matches expected exception "([^"]{1,300})")/.exec(
      sentence,
    );
  if (thrown) return thrown[2] === undefined ? { expected: thrown[1] } : { expected: thrown[2], received: thrown[1] };
  const told =
    rest(
      sentence,
      'Failed asserting that exception message ',
      'Failed asserting that actual size ',
      'Failed asserting that ',
    ) ?? '';
  if (/^two (?:strings|arrays|objects|variables)/.test(told)) return {};
  // A quoted value may itself contain some of `PHP_WORDS`, so it is skipped first.
  const quoted = /^(?:'[^']{0,2000}'|"[^"]{0,2000}")/.exec(told)?.[0] ?? '';
  const [between = '', expected] = splitAt(told.slice(quoted.length), ...PHP_WORDS) ?? [];
  return expected === undefined ? {} : { received: quoted + between, expected: expected.replace(/\.$/, '') };
}

// RSpec

export const isRuby = ({ stack, type }: ErrorTexts): boolean =>
  /^RSpec::/.test(type) || /^\S{1,1000}\.rb:\d{1,7}:in [`']/m.test(stack);

const RUBY_FRAME = /^(?:# )?(\S{1,1000}\.rb):(\d{1,7}):in /;

export function readRuby({ message, stack, type }: ErrorTexts): Found {
  const lines = linesOf(message);
  const paragraph = firstParagraph(lines);
  const first = firstText(paragraph);
  const title = /^expected(?: not)?: ?/i.test(first) && paragraph.length > 1 ? onOneLine(paragraph) : first;
  const [, file, line] =
    linesOf(stack)
      .map((one) => RUBY_FRAME.exec(one.trim()))
      .find((found) => found && !/\/(?:gems|rubygems|ruby|bin)\//.test(found[1] ?? '')) ?? [];
  const isAssertion = /ExpectationNotMetError|MockExpectationError|MultipleExpectationsNotMetError/.test(type);
  return {
    title,
    kind: rubyKind(title, isAssertion),
    ...rubyValues(lines, title),
    diff: diffLines(withoutBlanks(linesAfter(lines, /^Diff:/)), MINUS_IS_EXPECTED),
    location: file === undefined ? null : { file, line: Number(line), column: null },
  };
}

function rubyKind(title: string, isAssertion: boolean): Found['kind'] {
  if (/^Expected pending .{1,500} to fail\. No error was raised/.test(title)) return 'unexpectedPass';
  if (/^An error occurred while loading/.test(title)) return 'setup';
  return isAssertion ? 'assertion' : kindOfPlainError(title);
}

function rubyValues(lines: readonly string[], title: string): Values & Pick<Found, 'matcher'> {
  const expected = inLines(lines, (line) => rest(line, 'expected: '));
  const received = inLines(lines, (line) => rest(line, 'got: '));
  if (expected !== undefined) return { expected, received };
  const told = rest(title, 'expected ');
  if (told === undefined) return {};
  const [wanted = told, got] = splitAt(told, ', but got ', ', got ', ' but got ', ', but was ') ?? [];
  const worded = splitAt(wanted, ' to ');
  if (worded && /^[a-z]/.test(worded[1])) {
    const words = /^(?:[a-z]{1,20}(?: |$)){1,8}/.exec(worded[1])?.[0].trim() ?? '';
    const value = worded[1].slice(words.length).trim();
    return {
      matcher: `to ${words}`,
      expected: value || null,
      received: got ?? (worded[0].startsWith('`') ? null : worded[0]),
    };
  }
  if (got !== undefined) return { expected: wanted, received: got.replace(/ with backtrace:$/, '') };
  return { expected: splitAt(told, ' but nothing was raised')?.[0] };
}

// Rust

/** The location of a Rust panic, such as `tests/tariff.rs:42:21`. */
const panicPlace = (line: string): string | undefined =>
  line.startsWith("thread '") ? splitAt(line, 'panicked at ')?.[1].replace(/[:,]$/, '') : undefined;

export const isRust = ({ message, stack }: ErrorTexts): boolean =>
  [...linesOf(message), ...linesOf(stack)].some((line) => panicPlace(line) !== undefined);

export function readRust({ message, stack }: ErrorTexts): Found {
  const lines = linesOf(message.includes('panicked at') ? message : stack);
  const at = lines.findIndex((line) => panicPlace(line) !== undefined);
  const own = linesBefore(lines.slice(at + 1), /^(?:stack backtrace:|note: run with)/);
  const note = lines.findIndex((line) => /^note: panic did not contain expected string/.test(line));
  const found = note === -1 ? panicOf(own) : shouldPanicOf(lines.slice(note));
  return { ...found, location: placeOf(panicPlace(lines[at] ?? '') ?? '') };
}

function panicOf(lines: readonly string[]): Found {
  const title = firstText(lines);
  const operator = /^assertion(?: failed:)? `\(?left (==|!=|matches) right\)?`/.exec(title)?.[1];
  const of = (side: string) => inLines(lines, (line) => rest(line, `${side}: `)?.replace(/,$/, ''));
  const [left, right] = [of('left'), of('right')];
  const diff = withoutBlanks(linesAfter(lines, /^Diff < left \/ right > ?:/));
  return {
    title,
    kind: /^assertion\b/.test(title) ? 'assertion' : kindOfPlainError(title) === 'network' ? 'network' : 'error',
    matcher: operator,
    target: title.includes('`') ? undefined : rest(title, 'assertion failed: '),
    received: left,
    expected: right !== undefined && operator === '!=' ? `not ${right}` : right,
    diff: diffLines(diff, { expected: '>', received: '<' }),
  };
}

function shouldPanicOf(lines: readonly string[]): Found {
  const text = onOneLine(lines);
  const told = splitAt(text, 'panic message: ')?.[1] ?? '';
  const [received = null, expected = null] = splitAt(told, ', expected substring: ', ' expected substring: ') ?? [];
  return { title: (lines[0] ?? '').replace(/^note: /, '').trim(), kind: 'assertion', received, expected };
}

// AVA writes its diagnostics in YAML.

export const isAva = ({ message }: ErrorTexts): boolean => {
  const lines = linesOf(message).map((line) => line.trimStart());
  return (
    lines.some((line) => line.startsWith('at: ')) && lines.some((line) => /^(?:name|assertion|message): /.test(line))
  );
};

export function readAva({ message }: ErrorTexts): Found {
  const lines = dedented(linesOf(message));
  const matcher = yamlValue(lines, 'assertion');
  const name = yamlValue(lines, 'name') ?? '';
  const text = yamlValue(lines, 'message') ?? '';
  const details = detailsIn(lines);
  const inline = details.find(({ value }) => value !== undefined);
  const block = details.find(({ label }) => /^Difference/.test(label));
  const isAssertion = matcher !== undefined || /^AssertionError$/.test(name);
  const isPass = /^Test was expected to fail, but succeeded/.test(text);
  const thrown = isAssertion || name === '' ? text : `${name}: ${text}`;
  const title = thrown || (inline ? `${inline.label} ${inline.value}` : (matcher ?? ''));
  return {
    title: title === '' ? (matcher ?? '') : title.replace(/^Error: /, ''),
    kind: isPass ? 'unexpectedPass' : isAssertion ? 'assertion' : kindOfPlainError(title),
    matcher,
    expected: /^Value is not `(.{1,200})`:/.exec(inline?.label ?? '')?.[1],
    received: inline?.value,
    diff: diffLines(withoutBlanks(block?.lines ?? []), PLUS_IS_EXPECTED),
  };
}

/** The value of a YAML member, which may be quoted or folded over several lines. */
function yamlValue(lines: readonly string[], name: string): string | undefined {
  const at = lines.findIndex((line) => line.startsWith(`${name}:`));
  if (at === -1) return undefined;
  const value = lines[at]?.slice(name.length + 1).trim() ?? '';
  return /^[>|]-?$/.test(value) ? onOneLine(linesBefore(lines.slice(at + 1), /^\S/)) : unquoted(value);
}

const unquoted = (value: string): string =>
  /^'[\s\S]*'$/.test(value) ? value.slice(1, -1).replaceAll("''", "'") : value;

function detailsIn(lines: readonly string[]) {
  const own = dedented(linesBefore(linesAfter(lines, /^details:\s*$/), /^\S/));
  const starts = own.flatMap((line, index) => (/^\S/.test(line) ? [index] : []));
  return starts.map((start, index) => {
    const line = own[start] ?? '';
    const [label = '', value = ''] = (line.startsWith("'") ? splitAt(line.slice(1), "': ") : splitAt(line, ': ')) ?? [];
    const isBlock = /^[>|]-?$/.test(value.trim());
    return {
      label,
      value: isBlock ? undefined : unquoted(value.trim()),
      lines: dedented(own.slice(start + 1, starts[index + 1])),
    };
  });
}
