/** Reads errors of JUnit 5, AssertJ and Hamcrest from Java stack traces. */

import { getFirstParagraph, getFirstText, getLinesBefore, joinLines, splitAt, splitLines } from './error-lines.ts';
import type { ErrorTexts, PartialReading, SourceLocation, Values } from './reading.ts';
import { decideTextKind } from './text-kind.ts';

const FRAME =
  /^\s*at (?:[\w.-]{1,100}(?:@[\w.-]{1,40})?\/)?([\w.$<>]{1,500})\(([\w$.-]{1,200}\.(?:java|kt|scala|groovy)):(\d{1,7})\)\s*$/;
const ANY_FRAME = /^\s+at [\w.$/@<>-]{1,600}\([^()]{0,300}\)\s*$/;
const FOREIGN =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|opentest4j|assertj|hamcrest|testng|mockito|gradle|apache\.maven|spockframework))\./;

export const isJava = ({ stack, type }: ErrorTexts): boolean =>
  splitLines(stack).some((line) => FRAME.test(line)) ||
  /^(?:java|org|kotlin)\.[\w.$]{1,200}(?:Error|Exception)$/.test(type);

const ASSERTION_CLASSES =
  /(?:^|\.)(?:AssertionError|AssertionFailedError|AssertJMultipleFailuresError|MultipleFailuresError|ComparisonFailure)$/;

export function readJava({ message, stack, type }: ErrorTexts): PartialReading {
  const messageLines = splitLines(message);
  const paragraph = getFirstParagraph(messageLines);
  const first = getFirstText(paragraph);
  const className = type || (/^([\w.$]{1,300}(?:Error|Exception|Failure))\b/.exec(stack.trimStart())?.[1] ?? '');
  const isAssertion = ASSERTION_CLASSES.test(className);
  const isWhole = /^(?:expected|Expected|Expecting\b.*):/.test(first) || /^Expecting\b/.test(first);
  const sentence = isWhole ? joinLines(paragraph) : first;
  const title =
    isAssertion || className === '' || sentence.startsWith(className)
      ? sentence
      : `${className}: ${sentence}`.replace(/: $/, '');
  return {
    title,
    kind: decideJavaKind(title, className, isAssertion),
    ...(isAssertion ? readValues(message, messageLines) : {}),
    location: findLocation(splitLines(stack)),
  };
}

/** Only the last block of frames before the first cause is the error's own. Earlier ones are of quoted errors. */
function findLocation(stack: readonly string[]): SourceLocation | undefined {
  const stackLines = getLinesBefore(stack, /^\s*(?:Caused by|Suppressed): /);
  const end = stackLines.findLastIndex((line) => ANY_FRAME.test(line));
  let start = end;
  while (start > 0 && ANY_FRAME.test(stackLines[start - 1] ?? '')) start -= 1;
  for (const line of stackLines.slice(Math.max(0, start), end + 1)) {
    const [, method = '', file = '', number] = FRAME.exec(line) ?? [];
    if (number !== undefined && !FOREIGN.test(method)) return { file, line: Number(number), column: null };
  }
  return undefined;
}

function readValues(message: string, lines: readonly string[]): Values {
  if (/\(\d{1,6} failures?\)/.test(getFirstText(lines))) return {};
  const text = message.trim();
  const comparison = splitAt(text.slice(text.search(/expected: (?:<|not equal)/)), ' but was: ');
  if (comparison && /expected: (?:<|not equal)/.test(text))
    return {
      expected: unwrapBrackets(comparison[0].slice('expected: '.length)),
      received: unwrapBrackets(comparison[1]),
    };
  const paragraph = getFirstParagraph(lines).map((line) => line.trim());
  for (const [first, second] of LABELS) {
    const start = paragraph.findIndex((line) => line.startsWith(first));
    const middle = paragraph.findIndex((line, index) => index > start && line.startsWith(second));
    if (start === -1 || middle === -1) continue;
    const value = (from: number, label: string, to?: number) =>
      paragraph.slice(from, to).join('\n').slice(label.length).trim();
    return { expected: value(start, first, middle), received: value(middle, second) };
  }
  const match = /^Expected ([\w.$]{1,300}) to be thrown, but nothing was thrown/.exec(text);
  if (match) return { expected: match[1] };
  return readAssertJValues(lines);
}

/** Of the expected and the received value in Hamcrest and AssertJ. Values may have several lines. */
const LABELS = [
  ['Expected: ', 'but: '],
  ['expected: ', 'but was: '],
] as const;

const unwrapBrackets = (text: string): string =>
  text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text;

/** A line of words is followed by indented lines with a value. */
function readAssertJValues(lines: readonly string[]): Values {
  const blocks: { words: string; value: string[] }[] = [];
  for (const line of getFirstParagraph(lines)) {
    const last = blocks.at(-1);
    if (/^\s/.test(line) && last) last.value.push(line.trim());
    else blocks.push({ words: line.trim(), value: [] });
  }
  const [first, second] = blocks;
  if (!first || !/^Expecting\b/.test(first.words)) return {};
  const value = (block: typeof first | undefined): string | null => block?.value.join('\n') || null;
  if (/^but was\b/.test(second?.words ?? '')) return { expected: value(first), received: value(second) };
  return { received: value(first), expected: value(second) };
}

const SETUP = /(?:(?:ExtensionConfiguration|ParameterResolution|Precondition\w{0,20})Exception|InitializationError)$/;

function decideJavaKind(title: string, className: string, isAssertion: boolean): PartialReading['kind'] {
  if (/^(?:execution (?:timed out|exceeded timeout)|.{1,200}\(\) timed out after)/.test(title)) return 'timeout';
  if (isAssertion) return 'assertion';
  if (SETUP.test(className)) return 'setup';
  if (/(?:ConnectException|SocketException|UnknownHostException)$/.test(className)) return 'network';
  if (/Timeout\w{0,20}Exception$/.test(className)) return 'timeout';
  return decideTextKind(title);
}
