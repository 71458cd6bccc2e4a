/** Reads errors of xUnit.net, NUnit and MSTest, and the stack traces of .NET. */

import { findInLines, findTextAfter, getFirstText, joinLines, splitAt, splitLines } from './error-lines.ts';
import type { ErrorTexts, PartialReading, SourceLocation, Values } from './reading.ts';
import { decideTextKind } from './text-kind.ts';

export const isDotnet = ({ message, stack }: ErrorTexts): boolean =>
  /^(?:Assert\.\w{1,60}\(\) Failure|\w{0,40}Assert\.\w{1,60} failed\.)/.test(message.trimStart()) ||
  splitLines(message).some((line) => /^\s*But was: /.test(line)) ||
  findPlace(stack) !== undefined;

export function readDotnet({ message, stack }: ErrorTexts): PartialReading {
  const lines = splitLines(message);
  const first = getFirstText(lines);
  const values = readValues(first, lines);
  const isAssertion =
    /^\w{0,40}Assert\.\w/.test(first) || (values.expected !== undefined && values.received !== undefined);
  return {
    title: first.startsWith('Expected: ') ? joinLines(lines) : first,
    kind: isAssertion ? 'assertion' : decideTextKind(first),
    ...values,
    location: findPlace(stack),
  };
}

/** MSTest writes both values into one line: `Assert.AreEqual failed. Expected:<3>. Actual:<2>. Wrong total`. */
function readValues(first: string, lines: readonly string[]): Values {
  const inLine = splitAt(splitAt(first, 'Expected:<')?.[1] ?? '', '>. Actual:<');
  if (inLine) return { expected: inLine[0], received: splitAt(`${inLine[1]} `, '>. ')?.[0] ?? inLine[1] };
  return {
    expected: findInLines(lines, (line) => findTextAfter(line, 'Expected:')),
    received: findInLines(lines, (line) => findTextAfter(line, 'Actual:', 'But was:')),
  };
}

const LINE = ':line ';

/** `   at Shop.CartTests.Adds() in /project/CartTests.cs:line 14`. */
const findPlace = (stack: string): SourceLocation | undefined =>
  findInLines(splitLines(stack), (line) => {
    const end = line.lastIndexOf(LINE);
    const start = line.lastIndexOf(' in ', end);
    const number = Number(line.slice(end + LINE.length));
    if (!line.startsWith('at ') || end === -1 || start === -1 || !Number.isSafeInteger(number)) return undefined;
    return { file: line.slice(start + ' in '.length, end), line: number, column: null };
  });
