/** Reads panics and failed assertions of Rust. */

import { parseLocation } from './code-frame.ts';
import { parseDiff } from './diff.ts';
import {
  findInLines,
  findTextAfter,
  getFirstText,
  getLinesAfter,
  getLinesBefore,
  joinLines,
  removeBlankLines,
  splitAt,
  splitLines,
} from './error-lines.ts';
import type { ErrorTexts, PartialReading } from './reading.ts';
import { decideTextKind } from './text-kind.ts';

/** The location of a Rust panic, such as `tests/tariff.rs:42:21`. */
const findPanicPlace = (line: string): string | undefined =>
  line.startsWith("thread '") ? splitAt(line, 'panicked at ')?.[1].replace(/[:,]$/, '') : undefined;

export const isRust = ({ message, stack }: ErrorTexts): boolean =>
  [...splitLines(message), ...splitLines(stack)].some((line) => findPanicPlace(line) !== undefined);

export function readRust({ message, stack }: ErrorTexts): PartialReading {
  const lines = splitLines(message.includes('panicked at') ? message : stack);
  const panicIndex = lines.findIndex((line) => findPanicPlace(line) !== undefined);
  const body = getLinesBefore(lines.slice(panicIndex + 1), /^(?:stack backtrace:|note: run with)/);
  const noteIndex = lines.findIndex((line) => line.startsWith('note: panic did not contain expected string'));
  const reading = noteIndex === -1 ? parsePanic(body) : parseShouldPanic(lines.slice(noteIndex));
  return { ...reading, location: parseLocation(findPanicPlace(lines[panicIndex] ?? '') ?? '') };
}

function parsePanic(lines: readonly string[]): PartialReading {
  const title = getFirstText(lines);
  const operator = /^assertion(?: failed:)? `\(?left (==|!=|matches) right\)?`/.exec(title)?.[1];
  const findSide = (side: string) => findInLines(lines, (line) => findTextAfter(line, `${side}: `)?.replace(/,$/, ''));
  const right = findSide('right');
  const diff = removeBlankLines(getLinesAfter(lines, /^Diff < left \/ right > ?:/));
  return {
    title,
    kind: decidePanicKind(title),
    matcher: operator,
    target: title.includes('`') ? undefined : findTextAfter(title, 'assertion failed: '),
    received: findSide('left'),
    expected: right !== undefined && operator === '!=' ? `not ${right}` : right,
    diff: parseDiff(diff, { expected: '>', received: '<' }),
  };
}

function decidePanicKind(title: string): PartialReading['kind'] {
  if (/^assertion\b/.test(title)) return 'assertion';
  return decideTextKind(title) === 'network' ? 'network' : 'error';
}

/** Of a test with `#[should_panic(expected = "...")]` that panicked with another message. */
function parseShouldPanic(lines: readonly string[]): PartialReading {
  const text = joinLines(lines);
  const details = splitAt(text, 'panic message: ')?.[1] ?? '';
  const [received = null, expected = null] = splitAt(details, ', expected substring: ', ' expected substring: ') ?? [];
  return { title: (lines[0] ?? '').replace(/^note: /, '').trim(), kind: 'assertion', received, expected };
}
