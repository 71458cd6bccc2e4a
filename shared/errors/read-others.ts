/** Reads errors of Go (with testify and go-cmp), PHPUnit, RSpec, Rust and AVA. */

import { kindOfPlainError } from './read-javascript.ts';
import {
  dedented,
  diffLines,
  type ErrorTexts,
  type Found,
  firstParagraph,
  inLines,
  isBlank,
  linesOf,
  MINUS_IS_EXPECTED,
  onOneLine,
  PLUS_IS_EXPECTED,
  placeOf,
  rest,
  type SourceLocation,
  splitAt,
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
    const title = firstParagraph(lines.filter((line) => !/^\s*(?:=== |--- )/.test(line)))[0]?.trim() ?? '';
    return { title, kind: kindOfPlainError(title) };
  }
  const [, file = '', line, text = ''] = GO_LINE.exec(lines[at] ?? '') ?? [];
  const location = { file, line: Number(line), column: null };
  const end = lines.findIndex(
    (one, index) => index > at && (GO_LINE.test(one) || /^\s{0,4}(?:=== |--- (?:FAIL|PASS|SKIP):)/.test(one)),
  );
  const block = dedented(lines.slice(at + 1, end === -1 ? undefined : end));
  if (block.some((one) => /^\s*Error Trace:/.test(one))) return { ...readTestify(block), location };
  const title = text.trim() || onOneLine(firstParagraph(block));
  const diff = /\(-want \+got\)/.test(title) || /^[-+] /m.test(block.join('\n')) ? goDiff(block, title) : null;
  return {
    title,
    kind: kindOfPlainError(title) === 'network' ? 'network' : 'assertion',
    ...wantedIn(title),
    ...(diff ? { diff } : {}),
    location,
  };
}

/** Reads a diff of go-cmp. If the title says `-got +want`, the signs are swapped. */
const goDiff = (block: readonly string[], title: string) => {
  const signs = /-got \+want/.test(title) ? PLUS_IS_EXPECTED : MINUS_IS_EXPECTED;
  const first = block.find((line) => !isBlank(line)) ?? '';
  const least = first.length - first.trimStart().length;
  return diffLines(
    block
      .filter((line) => !isBlank(line))
      .map((line) => line.replaceAll('\u00a0', ' '))
      .map((line) => (/^[-+]/.test(line) ? line : ` ${line.slice(Math.min(least, 1))}`)),
    signs,
  );
};

/** Reads texts such as `Sum(2, 3) = 6, want 5`, `got 6; want 5` and `want 5, got 6`. */
function wantedIn(title: string): Pick<Found, 'target' | 'expected' | 'received'> {
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
  const paragraph = [error[0] ?? '', ...firstParagraph(continued)];
  const messages = onOneLine(parts.get('Messages') ?? []);
  const at = continued.findIndex((line) => /^\s*@@ /.test(line));
  const diff =
    at === -1 ? null : diffLines(dedented(continued.slice(at + 1).filter((line) => !isBlank(line))), MINUS_IS_EXPECTED);
  const text = [error[0] ?? '', ...continued].join('\n');
  return {
    title: messages || onOneLine(paragraph),
    kind: 'assertion',
    ...testifyValues(text),
    ...(diff ? { diff } : {}),
  };
}

function testifyValues(text: string): Pick<Found, 'expected' | 'received'> {
  const lines = linesOf(text);
  const first = lines.find((line) => !isBlank(line))?.trim() ?? '';
  const expected = inLines(lines, (line) => rest(line, 'expected: ', 'expected:'));
  const received = inLines(lines, (line) => rest(line, 'actual  : ', 'actual  :', 'actual: '));
  if (expected !== undefined) return { expected, ...(received === undefined ? {} : { received }) };
  const counted = splitAt(first, '" should have ');
  if (counted) {
    const [, wanted = '', count = ''] = /^(\d{1,10}) item\(s\), but has (\d{1,10})/.exec(counted[1]) ?? [];
    return { expected: wanted, received: count };
  }
  const contains = splitAt(first, ' does not contain ');
  if (contains) return { received: contains[0], expected: contains[1] };
  if (/^(?:Received unexpected error|Expected nil, but got)/.test(first)) {
    const own = splitAt(onOneLine(lines), ': ')?.[1];
    return own === undefined ? {} : { received: own };
  }
  const compared = splitAt(
    first,
    '" is not greater than or equal to "',
    '" is not less than or equal to "',
    '" is not greater than "',
    '" is not less than "',
  );
  if (compared) return { received: compared[0].replace(/^"/, ''), expected: compared[1].replace(/"$/, '') };
  const should = /^Should be (true|false|empty|zero)/.exec(first)?.[1];
  return should === undefined ? {} : { expected: should };
}

function readPanic(lines: readonly string[], at: number): Found {
  const title = lines[at]?.trim() ?? '';
  const place = lines
    .slice(at)
    .map((line) => /^\s+(\/[^\s:]{1,500}\.go:\d{1,7})(?: \+0x[0-9a-f]{1,16})?$/.exec(line)?.[1])
    .find((found) => found !== undefined && !/\/go\/(?:src|pkg)\//.test(found));
  const location = place === undefined ? undefined : placeOf(place);
  return { title, kind: /test timed out after/.test(title) ? 'timeout' : 'crash', ...(location ? { location } : {}) };
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
  const place = own.map((line) => /^\S{1,1000}\.php:\d{1,7}$/.exec(line.trim())?.[0]).find(Boolean);
  const location = place === undefined ? undefined : placeOf(place);
  const title = firstParagraph(own)[0]?.trim() ?? '';
  const sentence = own.find((line) => /^Failed asserting that /.test(line)) ?? '';
  const diffAt = own.findIndex((line) => /^\+\+\+ Actual/.test(line));
  const diffEnd = own.findIndex((line, index) => index > diffAt && isBlank(line));
  const diff =
    diffAt === -1 ? null : diffLines(own.slice(diffAt + 1, diffEnd === -1 ? undefined : diffEnd), MINUS_IS_EXPECTED);
  const isAssertion = /^PHPUnit\\/.test(type) || sentence !== '';
  return {
    title,
    kind: isAssertion ? 'assertion' : kindOfPlainError(title),
    ...(diff ? { diff } : phpValues(sentence)),
    ...(location ? { location } : {}),
  };
}

function phpValues(sentence: string): Pick<Found, 'expected' | 'received'> {
  const thrown =
    /^Failed asserting that exception of type "([^"]{1,300})" (?:is thrown|matches expected exception "([^"]{1,300})")/.exec(
      sentence,
    );
  if (thrown)
    return thrown[2] === undefined
      ? { expected: thrown[1] ?? null }
      : { expected: thrown[2], received: thrown[1] ?? null };
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
  const first = paragraph[0]?.trim() ?? '';
  const title = /^expected(?: not)?: ?/i.test(first) && paragraph.length > 1 ? onOneLine(paragraph) : first;
  const diffAt = lines.findIndex((line) => /^Diff:/.test(line));
  const diff =
    diffAt === -1
      ? null
      : diffLines(
          lines.slice(diffAt + 1).filter((line) => !isBlank(line)),
          MINUS_IS_EXPECTED,
        );
  const [, file, line] =
    linesOf(stack)
      .map((one) => RUBY_FRAME.exec(one.trim()))
      .find((found) => found && !/\/(?:gems|rubygems|ruby|bin)\//.test(found[1] ?? '')) ?? [];
  const isAssertion = /ExpectationNotMetError|MockExpectationError|MultipleExpectationsNotMetError/.test(type);
  return {
    title,
    kind: rubyKind(title, isAssertion),
    ...rubyValues(lines, title),
    ...(diff ? { diff } : {}),
    ...(file === undefined ? {} : { location: { file, line: Number(line), column: null } }),
  };
}

function rubyKind(title: string, isAssertion: boolean): Found['kind'] {
  if (/^Expected pending .{1,500} to fail\. No error was raised/.test(title)) return 'unexpectedPass';
  if (/^An error occurred while loading/.test(title)) return 'setup';
  return isAssertion ? 'assertion' : kindOfPlainError(title);
}

function rubyValues(lines: readonly string[], title: string): Pick<Found, 'matcher' | 'expected' | 'received'> {
  const expected = inLines(lines, (line) => rest(line, 'expected: '));
  const received = inLines(lines, (line) => rest(line, 'got: '));
  if (expected !== undefined) return { expected, ...(received === undefined ? {} : { received }) };
  const told = rest(title, 'expected ');
  if (told === undefined) return {};
  const [wanted = told, got] = splitAt(told, ', but got ', ', got ', ' but got ', ', but was ') ?? [];
  const worded = splitAt(wanted, ' to ');
  if (worded && /^[a-z]/.test(worded[1])) {
    const words = /^(?:[a-z]{1,20}(?: |$)){1,8}/.exec(worded[1])?.[0].trim() ?? '';
    const value = worded[1].slice(words.length).trim();
    return {
      matcher: `to ${words}`,
      ...(value === '' ? {} : { expected: value }),
      received: got ?? (worded[0].startsWith('`') ? null : worded[0]),
    };
  }
  if (got !== undefined) return { expected: wanted, received: got.replace(/ with backtrace:$/, '') };
  const nothing = splitAt(told, ' but nothing was raised');
  return nothing ? { expected: nothing[0] } : {};
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
  const location: SourceLocation | undefined = placeOf(panicPlace(lines[at] ?? '') ?? '');
  const told = lines.slice(at + 1);
  const end = told.findIndex((line) => /^(?:stack backtrace:|note: run with)/.test(line));
  const own = told.slice(0, end === -1 ? undefined : end);
  const note = lines.findIndex((line) => /^note: panic did not contain expected string/.test(line));
  const found = note === -1 ? panicOf(own) : shouldPanicOf(lines.slice(note));
  return { ...found, ...(location ? { location } : {}) };
}

function panicOf(lines: readonly string[]): Found {
  const title = lines.find((line) => !isBlank(line))?.trim() ?? '';
  const operator = /^assertion(?: failed:)? `\(?left (==|!=|matches) right\)?`/.exec(title)?.[1];
  const of = (side: string) => inLines(lines, (line) => rest(line, `${side}: `)?.replace(/,$/, ''));
  const [left, right] = [of('left'), of('right')];
  const condition = title.includes('`') ? undefined : rest(title, 'assertion failed: ');
  const diffAt = lines.findIndex((line) => /^Diff < left \/ right > ?:/.test(line));
  const diff =
    diffAt === -1
      ? null
      : diffLines(
          lines.slice(diffAt + 1).filter((line) => !isBlank(line)),
          { expected: '>', received: '<' },
        );
  return {
    title,
    kind: /^assertion\b/.test(title) ? 'assertion' : kindOfPlainError(title) === 'network' ? 'network' : 'error',
    ...(operator === undefined ? {} : { matcher: operator }),
    ...(condition === undefined ? {} : { target: condition }),
    ...(left === undefined ? {} : { received: left }),
    ...(right === undefined ? {} : { expected: operator === '!=' ? `not ${right}` : right }),
    ...(diff ? { diff } : {}),
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
  const diff = block
    ? diffLines(
        block.lines.filter((line) => !isBlank(line)),
        PLUS_IS_EXPECTED,
      )
    : null;
  const expected = /^Value is not `(.{1,200})`:/.exec(inline?.label ?? '')?.[1];
  return {
    title: title === '' ? (matcher ?? '') : title.replace(/^Error: /, ''),
    kind: isPass ? 'unexpectedPass' : isAssertion ? 'assertion' : kindOfPlainError(title),
    ...(matcher === undefined ? {} : { matcher }),
    ...(expected === undefined ? {} : { expected }),
    ...(inline ? { received: inline.value ?? null } : {}),
    ...(diff ? { diff } : {}),
  };
}

/** The value of a YAML member, which may be quoted or folded over several lines. */
function yamlValue(lines: readonly string[], name: string): string | undefined {
  const at = lines.findIndex((line) => line.startsWith(`${name}:`));
  if (at === -1) return undefined;
  const value = lines[at]?.slice(name.length + 1).trim() ?? '';
  if (!/^[>|]-?$/.test(value)) return unquoted(value);
  const own = lines.slice(at + 1);
  const end = own.findIndex((line) => /^\S/.test(line));
  return onOneLine(own.slice(0, end === -1 ? undefined : end));
}

const unquoted = (value: string): string =>
  /^'[\s\S]*'$/.test(value) ? value.slice(1, -1).replaceAll("''", "'") : value;

interface Detail {
  readonly label: string;
  readonly value: string | undefined;
  readonly lines: readonly string[];
}

function detailsIn(lines: readonly string[]): Detail[] {
  const at = lines.findIndex((line) => /^details:\s*$/.test(line));
  if (at === -1) return [];
  const below = lines.slice(at + 1);
  const end = below.findIndex((line) => /^\S/.test(line));
  const own = dedented(below.slice(0, end === -1 ? undefined : end));
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
