/** Reads errors of Playwright, Vitest, Jest, Mocha with chai, and node:assert. */

import { findCodeFrame, isFrameLine, parseLocation } from './code-frame.ts';
import { MINUS_IS_EXPECTED, PLUS_IS_EXPECTED, parseDiff } from './diff.ts';
import {
  findInLines,
  findTextAfter,
  getFirstText,
  getHeadline,
  getLinesAfter,
  getLinesBefore,
  isBlank,
  measureIndent,
  removeCommonIndent,
  splitAt,
  splitLines,
} from './error-lines.ts';
import {
  EXPECT,
  type Expectation,
  findExpectation,
  parseChaiMessage,
  parseNodeAssertMessage,
  readLabelledValues,
} from './javascript-expectation.ts';
import type { DiffLine, ErrorTexts, PartialReading, SourceLocation } from './reading.ts';
import { decideTextKind } from './text-kind.ts';

export function readJavaScript(texts: ErrorTexts): PartialReading {
  const { lines, frames } = splitMessageAndFrames(texts);
  const location = findLocation(frames);
  const className = findClassName(texts, lines);
  const title = buildTitle(lines, className);
  const messageLines = getLinesBefore(lines, CALL_LOG);
  const log = getLinesAfter(lines, CALL_LOG);
  const expectation: Expectation =
    findExpectation(messageLines) ?? parseChaiMessage(title) ?? parseNodeAssertMessage(title, messageLines) ?? {};
  return {
    title,
    ...expectation,
    ...readLabelledValues(messageLines),
    diff: findDiff(messageLines),
    target: findTarget(messageLines, log, expectation.target),
    location,
    frame: findCodeFrame(texts.snippet === '' ? lines : splitLines(texts.snippet), location ?? null),
    kind: decideJavaScriptKind({
      text: lines.join('\n'),
      title,
      className,
      texts,
      isExpectation: expectation.matcher !== undefined || EXPECT.test(title),
    }),
    // An entry of the call log may have several lines, and only its first line begins with a mark such as `-`.
    lastLog: log
      .findLast((line) => /^\s*(?:-\s|\d+ × )/.test(line))
      ?.trim()
      .replace(/^-\s+/, ''),
  };
}

const CALL_LOG = /^\s*Call [Ll]og:\s*$/;

const ASSERTION_CLASS = /^(?:AssertionError|AssertionError \[ERR_ASSERTION\])$/;
const CLASSED = /^([A-Z][\w.$]{0,80}(?: \[\w{1,60}\])?): /;

function splitMessageAndFrames({ message, stack }: ErrorTexts): {
  readonly lines: string[];
  readonly frames: string[];
} {
  const stackLines = splitLines(stack);
  const first = stackLines.find((line) => !isBlank(line)) ?? '';
  // In Playwright's JUnit reports, the text begins with the name of the test, and the other lines are indented.
  if (first.endsWith('───')) {
    const block = removeCommonIndent(stackLines.slice(stackLines.indexOf(first) + 1));
    return { lines: removeFrames(block), frames: block };
  }
  const messageLines = splitLines(message);
  const bullet = /^\s*● /;
  if (messageLines.some((line) => bullet.test(line))) {
    const block = removeCommonIndent(getLinesBefore(getLinesAfter(messageLines, bullet), bullet));
    // Stack frames before the last code frame belong to an error that the message quotes.
    return { lines: removeFrames(block), frames: block.slice(block.findLastIndex(isFrameLine) + 1) };
  }
  // In Vitest's JUnit reports, only the stack contains the whole text.
  if (stackLines.some((line) => /^\s*❯ /.test(line)) && !stackLines.some((line) => line.trim().startsWith('at ')))
    return { lines: removeFrames(stackLines), frames: stackLines };
  return { lines: messageLines, frames: findOwnFrames(stackLines, messageLines) };
}

const isStackFrame = (line: string): boolean => /^\s*(?:at |❯ )/.test(line);
const removeFrames = (lines: readonly string[]): string[] => lines.filter((line) => !isStackFrame(line));

/** The frames of the error itself follow the message. Earlier frames belong to an error that the message quotes. */
function findOwnFrames(stack: readonly string[], message: readonly string[]): string[] {
  const last = message.findLast((line) => !isBlank(line))?.trim() ?? '';
  const at = last === '' ? -1 : stack.findIndex((line) => line.trim().endsWith(last));
  const frames = stack.slice(at + 1);
  const cause = frames.findIndex((line) => line.trimStart().startsWith('[cause]:'));
  // Frames of a cause come last. They are kept only if the error has none in the user's code, as in timeouts of Jest.
  const isEnough = cause !== -1 && findLocation(frames.slice(0, cause)) !== undefined;
  return isEnough ? frames.slice(0, cause) : frames;
}

const FOREIGN = /(?:^|\/)node_modules\/|^node:|^internal\/|<anonymous>|^eval |\(eval /;

function findLocation(lines: readonly string[]): SourceLocation | undefined {
  for (const line of lines) {
    if (!isStackFrame(line) || line.includes('(eval at ')) continue;
    const inside =
      /\(([^()]{1,1000})\)\s*$/.exec(line)?.[1] ?? line.trim().replace(/^(?:at (?:async )?|❯ (?:.{1,200} )?)/, '');
    const place = parseLocation(inside.trim());
    if (place && !FOREIGN.test(place.file)) return place;
  }
  return undefined;
}

/** The class of the error, if it precedes the text at the beginning of the message or of the stack. */
function findClassName({ message, stack }: ErrorTexts, lines: readonly string[]): string {
  const first = getFirstText(lines);
  const inMessage = CLASSED.exec(first)?.[1];
  if (inMessage !== undefined) return inMessage;
  const firstStackLine = splitLines(stack).find((line) => !isBlank(line)) ?? '';
  const inStack = CLASSED.exec(firstStackLine)?.[1];
  const start = getFirstText(splitLines(message));
  return inStack !== undefined && start !== '' && firstStackLine.includes(start) ? inStack : '';
}

const isPlainClass = (name: string): boolean => name === 'Error' || ASSERTION_CLASS.test(name);

function buildTitle(lines: readonly string[], className: string): string {
  const first = getFirstText(lines);
  const printedClass = CLASSED.exec(first)?.[1];
  const text = printedClass !== undefined && isPlainClass(printedClass) ? first.slice(printedClass.length + 2) : first;
  const thrownPrefix = /^thrown: "?/.exec(text)?.[0];
  if (thrownPrefix !== undefined) return text.slice(thrownPrefix.length).replace(/"$/, '');
  const fullTitle = getHeadline([text, ...getLinesAfter(lines, /\S/)]);
  return printedClass === undefined && className !== '' && !isPlainClass(className)
    ? `${className}: ${fullTitle}`
    : fullTitle;
}

const HEADS = [
  { head: /^\s*- Expected\b/, next: /^\s*\+ Received\b/, signs: MINUS_IS_EXPECTED },
  { head: /^\s*\+ actual\b.*- expected\b/, next: undefined, signs: MINUS_IS_EXPECTED },
  { head: /^\s*\+ expected\b.*- actual\b/, next: undefined, signs: PLUS_IS_EXPECTED },
];
const CALL = /^\s*\d+(?:st|nd|rd|th) .{1,80} call:\s*$/;
const AFTER_DIFF = /^\s*(?:Call [Ll]og:|Number of calls:|❯ |at |Received:|Timeout:)/;

function findDiff(lines: readonly string[]): DiffLine[] | null {
  for (const { head, next, signs } of HEADS) {
    const at = lines.findIndex(
      (line, index) => head.test(line) && (next === undefined || next.test(lines[index + 1] ?? '')),
    );
    if (at === -1) continue;
    return readDiff(lines.slice(at + (next === undefined ? 1 : 2)), signs);
  }
  const callLines = getLinesAfter(lines, CALL);
  const start = callLines.findIndex((line) => !isBlank(line));
  // `readDiff` removes the common indentation of a mock call, so that the marks `-` and `+` are in the first column.
  return readDiff(callLines.slice(Math.max(0, start)), MINUS_IS_EXPECTED);
}

/** Ends at two blank lines (single ones are allowed) or at a line that no diff has. `null` if no line is marked. */
function readDiff(lines: readonly string[], signs: typeof MINUS_IS_EXPECTED): DiffLine[] | null {
  const end = lines.findIndex(
    (line, index) =>
      AFTER_DIFF.test(line) || isFrameLine(line) || (index > 0 && isBlank(line) && isBlank(lines[index + 1] ?? '')),
  );
  const body = lines.slice(0, end === -1 ? undefined : end);
  const least = Math.min(
    ...body.filter((line) => /^\s*[-+]/.test(line)).map((line) => line.search(/[-+]/)),
    Number.MAX_SAFE_INTEGER,
  );
  return parseDiff(
    body.map((line) => line.slice(Math.min(least, measureIndent(line)))),
    signs,
  );
}

function findTarget(
  lines: readonly string[],
  log: readonly string[],
  expectationTarget: PartialReading['target'],
): PartialReading['target'] {
  const locator = findInLines(lines, (line) => findTextAfter(line, 'Locator:'));
  if (locator !== undefined) return locator;
  if (expectationTarget) return expectationTarget;
  const strict = findInLines(
    lines,
    (line) => splitAt(splitAt(line, 'strict mode violation: ')?.[1] ?? '', ' resolved to ')?.[0],
  );
  if (strict !== undefined) return strict;
  if (!lines.some((line) => /\b(?:locator|page|frame|elementHandle)\.\w{1,40}:/.test(line))) return expectationTarget;
  const waitedLocator = findInLines(log, (line) => {
    const what = findTextAfter(line.replace(/^- +/, ''), 'waiting for ');
    return what !== undefined && /^(?:locator|getBy|frameLocator)/.test(what) ? what : undefined;
  });
  return waitedLocator === undefined ? expectationTarget : waitedLocator.replace(/ to be \w{1,20}$/, '');
}

interface KindCriteria {
  readonly text: string;
  readonly title: string;
  readonly className: string;
  readonly texts: ErrorTexts;
  readonly isExpectation: boolean;
}

const SETUP =
  /^(?:Cannot find (?:module|package)|Failed to (?:resolve import|load url)|Jest encountered|Parse failure|Transform failed|Error transforming|SyntaxError: \S{1,500}: |.{0,80}has unknown parameter|No test (?:suite )?found|Your test suite must contain|Test suite failed to run)/;

function decideJavaScriptKind({
  text,
  title,
  className,
  texts: { message, stack, type },
  isExpectation,
}: KindCriteria): PartialReading['kind'] {
  if (
    /^(?:Expected to fail, but passed|Failing test passed|Expect test to fail|test was expected to fail)/i.test(title)
  )
    return 'unexpectedPass';
  if (
    /worker process exited|Target crashed|[Pp]age crashed|Worker (?:exited|terminated|forks emitted error)|Jest worker encountered/.test(
      title,
    )
  )
    return 'crash';
  if (SETUP.test(title.replace(/^Error: /, '')) || /● Test suite failed to run/.test(message)) return 'setup';
  const isAsserted =
    isExpectation ||
    [className, type].some((name) => ASSERTION_CLASS.test(name)) ||
    /^AssertionError\b/.test(stack.trimStart()) ||
    (title.startsWith('Snapshot ') && title.includes(' mismatched')) ||
    (/^promise (?:resolved|rejected) /.test(title) && title.includes(' instead of '));
  if (isAsserted) return 'assertion';
  return decideTextKind(text);
}
