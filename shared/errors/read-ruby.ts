/** Reads errors of RSpec. */

import { MINUS_IS_EXPECTED, parseDiff } from './diff.ts';
import {
  findInLines,
  findTextAfter,
  getFirstParagraph,
  getFirstText,
  getLinesAfter,
  joinLines,
  removeBlankLines,
  splitAt,
  splitLines,
} from './error-lines.ts';
import type { ErrorTexts, PartialReading, SourceLocation, Values } from './reading.ts';
import { decideTextKind } from './text-kind.ts';

export const isRuby = ({ stack, type }: ErrorTexts): boolean =>
  /^RSpec::/.test(type) || /^\S{1,1000}\.rb:\d{1,7}:in [`']/m.test(stack);

const FRAME = /^(?:# )?(\S{1,1000}\.rb):(\d{1,7}):in /;

export function readRuby({ message, stack, type }: ErrorTexts): PartialReading {
  const lines = splitLines(message);
  const paragraph = getFirstParagraph(lines);
  const first = getFirstText(paragraph);
  const title = /^expected(?: not)?: ?/i.test(first) && paragraph.length > 1 ? joinLines(paragraph) : first;
  const isAssertion = /ExpectationNotMetError|MockExpectationError|MultipleExpectationsNotMetError/.test(type);
  return {
    title,
    kind: decideRubyKind(title, isAssertion),
    ...parseRubyValues(lines, title),
    diff: parseDiff(removeBlankLines(getLinesAfter(lines, /^Diff:/)), MINUS_IS_EXPECTED),
    location: findLocation(stack),
  };
}

const findLocation = (stack: string): SourceLocation | undefined =>
  findInLines(splitLines(stack), (stackLine) => {
    const [, file, line] = FRAME.exec(stackLine) ?? [];
    if (file === undefined || /\/(?:gems|rubygems|ruby|bin)\//.test(file)) return undefined;
    return { file, line: Number(line), column: null };
  });

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
  const [subject = '', predicate = ''] = splitAt(expectation, ' to ') ?? [];
  if (/^[a-z]/.test(predicate)) {
    const words = /^(?:[a-z]{1,20}(?: |$)){1,8}/.exec(predicate)?.[0].trim() ?? '';
    const isExpression = subject.startsWith('`');
    return {
      matcher: `to ${words}`,
      expected: predicate.slice(words.length).trim() || null,
      received: got ?? (isExpression ? null : subject),
    };
  }
  if (got !== undefined) return { expected: expectation, received: got.replace(/ with backtrace:$/, '') };
  return { expected: splitAt(claim, ' but nothing was raised')?.[0] };
}
