/** Reads errors of JUnit 5, AssertJ and Hamcrest from Java stack traces. */

import { kindOfPlainError } from './read-javascript.ts';
import {
  type ErrorTexts,
  type Found,
  firstParagraph,
  firstText,
  linesBefore,
  linesOf,
  onOneLine,
  type SourceLocation,
  splitAt,
  type Values,
} from './reading.ts';

const FRAME =
  /^\s*at (?:[\w.-]{1,100}(?:@[\w.-]{1,40})?\/)?([\w.$<>]{1,500})\(([\w$.-]{1,200}\.(?:java|kt|scala|groovy)):(\d{1,7})\)\s*$/;
const ANY_FRAME = /^\s+at [\w.$/@<>-]{1,600}\([^()]{0,300}\)\s*$/;
const FOREIGN =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|opentest4j|assertj|hamcrest|testng|mockito|gradle|apache\.maven|spockframework))\./;

export const isJava = ({ stack, type }: ErrorTexts): boolean =>
  linesOf(stack).some((line) => FRAME.test(line)) ||
  /^(?:java|org|kotlin)\.[\w.$]{1,200}(?:Error|Exception)$/.test(type);

const ASSERTION_CLASSES =
  /(?:^|\.)(?:AssertionError|AssertionFailedError|AssertJMultipleFailuresError|MultipleFailuresError|ComparisonFailure)$/;

export function readJava({ message, stack, type }: ErrorTexts): Found {
  const told = linesOf(message);
  const paragraph = firstParagraph(told);
  const first = firstText(paragraph);
  const className = type || (/^([\w.$]{1,300}(?:Error|Exception|Failure))\b/.exec(stack.trimStart())?.[1] ?? '');
  const isAssertion = ASSERTION_CLASSES.test(className);
  const isWhole = /^(?:expected|Expected|Expecting\b.*):/.test(first) || /^Expecting\b/.test(first);
  const bare = isWhole ? onOneLine(paragraph) : first;
  const title =
    isAssertion || className === '' || bare.startsWith(className) ? bare : `${className}: ${bare}`.replace(/: $/, '');
  return {
    title,
    kind: kindOf(title, className, isAssertion),
    ...(isAssertion ? valuesIn(message, told) : {}),
    location: locationIn(linesOf(stack)),
  };
}

/**
 * Searches only the last block of stack frames before the first cause. That block belongs to the error itself. Earlier
 * blocks belong to errors that the message quotes.
 */
function locationIn(stack: readonly string[]): SourceLocation | undefined {
  const own = linesBefore(stack, /^\s*(?:Caused by|Suppressed): /);
  const end = own.findLastIndex((line) => ANY_FRAME.test(line));
  let start = end;
  while (start > 0 && ANY_FRAME.test(own[start - 1] ?? '')) start -= 1;
  for (const line of own.slice(Math.max(0, start), end + 1)) {
    const [, method = '', file = '', number] = FRAME.exec(line) ?? [];
    if (number !== undefined && !FOREIGN.test(method)) return { file, line: Number(number), column: null };
  }
  return undefined;
}

function valuesIn(message: string, lines: readonly string[]): Values {
  if (/\(\d{1,6} failures?\)/.test(firstText(lines))) return {};
  const text = message.trim();
  const compared = splitAt(text.slice(text.search(/expected: (?:<|not equal)/)), ' but was: ');
  if (compared && /expected: (?:<|not equal)/.test(text))
    return { expected: unbracketed(compared[0].slice('expected: '.length)), received: unbracketed(compared[1]) };
  const own = firstParagraph(lines).map((line) => line.trim());
  for (const [first, second] of LABELS) {
    const start = own.findIndex((line) => line.startsWith(first));
    const middle = own.findIndex((line, index) => index > start && line.startsWith(second));
    if (start === -1 || middle === -1) continue;
    const value = (from: number, label: string, to?: number) =>
      own.slice(from, to).join('\n').slice(label.length).trim();
    return { expected: value(start, first, middle), received: value(middle, second) };
  }
  const thrown = /^Expected ([\w.$]{1,300}) to be thrown, but nothing was thrown/.exec(text);
  if (thrown) return { expected: thrown[1] };
  return expectingIn(lines);
}

/**
 * The labels of the expected and the received value in messages of Hamcrest and AssertJ. Values may have several lines.
 */
const LABELS = [
  ['Expected: ', 'but: '],
  ['expected: ', 'but was: '],
] as const;

const unbracketed = (text: string): string => (text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text);

/** Reads AssertJ messages, in which a line of words is followed by indented lines with a value. */
function expectingIn(lines: readonly string[]): Values {
  const blocks: { words: string; value: string[] }[] = [];
  for (const line of firstParagraph(lines)) {
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

function kindOf(title: string, className: string, isAssertion: boolean): Found['kind'] {
  if (/^(?:execution (?:timed out|exceeded timeout)|.{1,200}\(\) timed out after)/.test(title)) return 'timeout';
  if (isAssertion) return 'assertion';
  if (SETUP.test(className)) return 'setup';
  if (/(?:ConnectException|SocketException|UnknownHostException)$/.test(className)) return 'network';
  if (/Timeout\w{0,20}Exception$/.test(className)) return 'timeout';
  return kindOfPlainError(title);
}
