/** Reads errors of Playwright, Vitest, Jest, Mocha with chai, and node:assert. */
import {
  codeFrame,
  type DiffLine,
  dedented,
  diffLines,
  type ErrorTexts,
  type Found,
  firstText,
  headline,
  indentOf,
  inLines,
  isBlank,
  isFrameLine,
  linesAfter,
  linesBefore,
  linesOf,
  MINUS_IS_EXPECTED,
  onOneLine,
  PLUS_IS_EXPECTED,
  placeOf,
  rest,
  type SourceLocation,
  splitAt,
  type Values,
} from './reading.ts';

export function readJavaScript(texts: ErrorTexts): Found {
  const { lines, frames } = bodyOf(texts);
  const location = locationIn(frames);
  const className = classNameOf(texts, lines);
  const title = titleOf(lines, className);
  const own = linesBefore(lines, CALL_LOG);
  const log = linesAfter(lines, CALL_LOG);
  const expectation: Expectation = expectationIn(own) ?? chaiIn(title) ?? nodeAssertIn(title, own) ?? {};
  return {
    title,
    ...expectation,
    ...labelledIn(own),
    diff: differenceIn(own),
    target: targetIn(own, log, expectation.target),
    location,
    frame: codeFrame(texts.snippet === '' ? lines : linesOf(texts.snippet), location ?? null),
    kind: kindOf({
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

/** The lines that describe the error, and the lines with its stack frames. */
function bodyOf({ message, stack }: ErrorTexts): { readonly lines: string[]; readonly frames: string[] } {
  const stacked = linesOf(stack);
  const first = stacked.find((line) => !isBlank(line)) ?? '';
  // In Playwright's JUnit reports, the text begins with the name of the test, and the other lines are indented.
  if (first.endsWith('───')) {
    const own = dedented(stacked.slice(stacked.indexOf(first) + 1));
    return { lines: withoutFrames(own), frames: own };
  }
  const told = linesOf(message);
  const bullet = /^\s*● /;
  if (told.some((line) => bullet.test(line))) {
    const own = dedented(linesBefore(linesAfter(told, bullet), bullet));
    // Stack frames before the last code frame belong to an error that the message quotes.
    return { lines: withoutFrames(own), frames: own.slice(own.findLastIndex(isFrameLine) + 1) };
  }
  // In Vitest's JUnit reports, only the stack contains the whole text.
  if (stacked.some((line) => /^\s*❯ /.test(line)) && !stacked.some((line) => line.trim().startsWith('at ')))
    return { lines: withoutFrames(stacked), frames: stacked };
  return { lines: told, frames: afterMessage(stacked, told) };
}

const isStackFrame = (line: string): boolean => /^\s*(?:at |❯ )/.test(line);
const withoutFrames = (lines: readonly string[]): string[] => lines.filter((line) => !isStackFrame(line));

/**
 * Returns the stack frames of the error itself, which follow the message. Earlier frames belong to an error that the
 * message quotes.
 */
function afterMessage(stack: readonly string[], message: readonly string[]): string[] {
  const last = message.findLast((line) => !isBlank(line))?.trim() ?? '';
  const at = last === '' ? -1 : stack.findIndex((line) => line.trim().endsWith(last));
  const own = stack.slice(at + 1);
  const cause = own.findIndex((line) => line.trimStart().startsWith('[cause]:'));
  // The stack frames of a cause follow those of the error. They are kept only if the error itself has no stack frame in
  // the user's code, as in timeouts of Jest.
  const isEnough = cause !== -1 && locationIn(own.slice(0, cause)) !== undefined;
  return isEnough ? own.slice(0, cause) : own;
}

const FOREIGN = /(?:^|\/)node_modules\/|^node:|^internal\/|<anonymous>|^eval |\(eval /;

function locationIn(lines: readonly string[]): SourceLocation | undefined {
  for (const line of lines) {
    if (!isStackFrame(line) || line.includes('(eval at ')) continue;
    const inside =
      /\(([^()]{1,1000})\)\s*$/.exec(line)?.[1] ?? line.trim().replace(/^(?:at (?:async )?|❯ (?:.{1,200} )?)/, '');
    const place = placeOf(inside.trim());
    if (place && !FOREIGN.test(place.file)) return place;
  }
  return undefined;
}

/** The class of the error, if it precedes the text at the beginning of the message or of the stack. */
function classNameOf({ message, stack }: ErrorTexts, lines: readonly string[]): string {
  const first = firstText(lines);
  const inMessage = CLASSED.exec(first)?.[1];
  if (inMessage !== undefined) return inMessage;
  const stacked = linesOf(stack).find((line) => !isBlank(line)) ?? '';
  const inStack = CLASSED.exec(stacked)?.[1];
  const start = firstText(linesOf(message));
  return inStack !== undefined && start !== '' && stacked.includes(start) ? inStack : '';
}

const isPlainClass = (name: string): boolean => name === 'Error' || ASSERTION_CLASS.test(name);

function titleOf(lines: readonly string[], className: string): string {
  const first = firstText(lines);
  const printed = CLASSED.exec(first)?.[1];
  const bare = printed !== undefined && isPlainClass(printed) ? first.slice(printed.length + 2) : first;
  const thrown = /^thrown: "?/.exec(bare)?.[0];
  if (thrown !== undefined) return bare.slice(thrown.length).replace(/"$/, '');
  const whole = headline([bare, ...linesAfter(lines, /\S/)]);
  return printed === undefined && className !== '' && !isPlainClass(className) ? `${className}: ${whole}` : whole;
}

const EXPECT = /expect(?:\.(?:soft|poll))?\(/;
const NAMES = /(?:\.\w{1,60}){1,6}\(/y;
const GLOBAL = /^expect\.(\w{1,40})\(/;
const PLACEHOLDERS = new Set(['received', 'locator', 'page', 'response', 'string', 'jest.fn()', 'value', '']);
const NO_MATCHERS = new Set(['resolves', 'rejects', 'soft', 'poll']);

type Expectation = Values & Pick<Found, 'matcher' | 'target'>;

/** Finds a call such as `expect(target).not.toBe(expected)` in a line that is not part of a code frame. */
function expectationIn(lines: readonly string[]): Expectation | undefined {
  for (const line of lines) {
    if (isFrameLine(line)) continue;
    const global = GLOBAL.exec(line.trim())?.[1];
    if (global !== undefined) return { matcher: global };
    const call = chainIn(line);
    if (!call) continue;
    const names = call.names.filter((name) => !NO_MATCHERS.has(name));
    const target = call.inside.trim();
    return { matcher: names.join('.'), ...(PLACEHOLDERS.has(target) ? {} : { target }) };
  }
  return undefined;
}

/** Finds `expect(`. Returns the text in its brackets, and the names of the chain after it, such as `not` and `toBe`. */
function chainIn(line: string): { readonly inside: string; readonly names: readonly string[] } | undefined {
  const start = EXPECT.exec(line);
  if (!start) return undefined;
  const from = start.index + start[0].length;
  let depth = 1;
  let at = from;
  for (; at < line.length && depth > 0; at += 1) {
    if (line[at] === '(') depth += 1;
    if (line[at] === ')') depth -= 1;
  }
  NAMES.lastIndex = at;
  const chain = NAMES.exec(line)?.[0];
  return chain === undefined ? undefined : { inside: line.slice(from, at - 1), names: chain.slice(1, -1).split('.') };
}

const LABEL = /^(Expected|Received|Resolved to|Rejected to)(?: ([\w ]{1,30}))?:(.*)$/;

/**
 * Reads lines such as `Expected: 1`, `Received string: "a"` and `Resolved to value: 2`. If several lines contain the
 * expected value, the one with the label `value` is used, else the first. The same applies to the received value.
 */
function labelledIn(lines: readonly string[]): Values {
  const found = new Map<string, string>();
  const isValue = new Set<string>();
  for (const line of lines) {
    if (isFrameLine(line)) continue;
    const [, word = '', label, value = ''] = LABEL.exec(line.trim()) ?? [];
    if (isBlank(value)) continue;
    const kind = label?.trim();
    const side = word === 'Expected' ? 'expected' : 'received';
    if (found.has(side) && (kind !== 'value' || isValue.has(side))) continue;
    found.set(side, value.trim());
    if (kind === 'value') isValue.add(side);
  }
  return Object.fromEntries(found);
}

const HEADS = [
  { head: /^\s*- Expected\b/, next: /^\s*\+ Received\b/, signs: MINUS_IS_EXPECTED },
  { head: /^\s*\+ actual\b.*- expected\b/, next: undefined, signs: MINUS_IS_EXPECTED },
  { head: /^\s*\+ expected\b.*- actual\b/, next: undefined, signs: PLUS_IS_EXPECTED },
];
const CALL = /^\s*\d+(?:st|nd|rd|th) .{1,80} call:\s*$/;
const AFTER_DIFF = /^\s*(?:Call [Ll]og:|Number of calls:|❯ |at |Received:|Timeout:)/;

function differenceIn(lines: readonly string[]): DiffLine[] | null {
  for (const { head, next, signs } of HEADS) {
    const at = lines.findIndex(
      (line, index) => head.test(line) && (next === undefined || next.test(lines[index + 1] ?? '')),
    );
    if (at === -1) continue;
    return diffFrom(lines.slice(at + (next === undefined ? 1 : 2)), signs);
  }
  const own = linesAfter(lines, CALL);
  const start = own.findIndex((line) => !isBlank(line));
  // The lines of a mock call have a common indentation, which `diffFrom` removes so that the marks `-` and `+` are in
  // the first column.
  return diffFrom(own.slice(Math.max(0, start)), MINUS_IS_EXPECTED);
}

/**
 * Reads a diff. A diff may contain single blank lines, so it ends only at two of them in a row, or at a line that
 * cannot be part of a diff. Returns `null` if no line is marked as expected or received.
 */
function diffFrom(lines: readonly string[], signs: typeof MINUS_IS_EXPECTED): DiffLine[] | null {
  const end = lines.findIndex(
    (line, index) =>
      AFTER_DIFF.test(line) || isFrameLine(line) || (index > 0 && isBlank(line) && isBlank(lines[index + 1] ?? '')),
  );
  const own = lines.slice(0, end === -1 ? undefined : end);
  const least = Math.min(
    ...own.filter((line) => /^\s*[-+]/.test(line)).map((line) => line.search(/[-+]/)),
    Number.MAX_SAFE_INTEGER,
  );
  return diffLines(
    own.map((line) => line.slice(Math.min(least, indentOf(line)))),
    signs,
  );
}

function targetIn(lines: readonly string[], log: readonly string[], own: Found['target']): Found['target'] {
  const locator = inLines(lines, (line) => rest(line, 'Locator:'));
  if (locator !== undefined) return locator;
  if (own) return own;
  const strict = inLines(
    lines,
    (line) => splitAt(splitAt(line, 'strict mode violation: ')?.[1] ?? '', ' resolved to ')?.[0],
  );
  if (strict !== undefined) return strict;
  if (!lines.some((line) => /\b(?:locator|page|frame|elementHandle)\.\w{1,40}:/.test(line))) return own;
  const waited = inLines(log, (line) => {
    const what = rest(line.replace(/^- +/, ''), 'waiting for ');
    return what !== undefined && /^(?:locator|getBy|frameLocator)/.test(what) ? what : undefined;
  });
  return waited === undefined ? own : waited.replace(/ to be \w{1,20}$/, '');
}

const VALUE_WORDS = /^(?:true|false|null|undefined)\b/;

/**
 * Reads messages of chai such as `expected 1 to equal 2`, which may end with a `//` comment or with `but got` and the
 * received value.
 */
function chaiIn(title: string): Expectation | undefined {
  const plain = title.replace(/ \/\/ [\w .]{1,60}$/, '');
  const at = plain.startsWith('expected ') ? 0 : plain.indexOf(': expected ') + 2;
  const [subject, told] = splitAt(plain.slice(at), ' to ') ?? [];
  if (subject === undefined || told === undefined || !subject.startsWith('expected ') || !/^[a-z]/.test(told))
    return undefined;
  const { matcher, value } = splitWords(told);
  const [wanted = value, got] = splitAt(value, ', but got ', ' but got ') ?? [];
  const name = subject.slice('expected '.length);
  const isMock = /^"[^"]{0,100}"$/.test(name) && /called|return|resolve/.test(matcher);
  const received = got ?? (isMock || name.startsWith('[Function') ? undefined : name);
  const bare = wanted.trim();
  const expected = /^not\b/.test(matcher) ? `not ${bare}` : bare;
  return { matcher: `to ${matcher}`, expected: bare === '' ? null : expected, received };
}

/**
 * Splits a text into the words of the matcher and the value after them. In `throw an error`, the value is `an error`.
 */
function splitWords(text: string): { readonly matcher: string; readonly value: string } {
  const words: string[] = [];
  let left = text;
  while (left !== '' && !VALUE_WORDS.test(left)) {
    const word = /^([a-z]{1,20})(:?)(?=\s|$)/.exec(left);
    if (!word) break;
    words.push(word[1] ?? '');
    left = left.slice(word[0].length).trimStart();
    if (word[2] === ':') break;
  }
  const matcher = words.join(' ');
  if (left === '' && /\ban error$/.test(matcher)) return { matcher, value: 'an error' };
  return { matcher, value: left };
}

function nodeAssertIn(title: string, lines: readonly string[]): Expectation | undefined {
  const equal = splitAt(rest(title, 'Expected values to be ') ?? '', ':');
  if (equal) {
    const [received, expected] = splitAt(equal[1].trim(), ' !== ', ' != ') ?? [];
    return { matcher: equal[0], received, expected };
  }
  const unequal = splitAt(rest(title, 'Expected "actual" not to be ', 'Expected "actual" to be ') ?? '', ' to:');
  if (unequal) return { matcher: unequal[0], expected: isBlank(unequal[1]) ? null : `not ${unequal[1].trim()}` };
  const falsy = splitAt(title, 'assert.ok(', 'assert(');
  if (title.includes('falsy value') && falsy)
    return { matcher: title.includes('assert.ok(') ? 'assert.ok' : 'assert', target: falsy[1].replace(/\)$/, '') };
  const pattern = splitAt(title, 'the regular expression ');
  if (pattern && title.startsWith('The input ')) {
    const [expected = pattern[1], received = ''] = splitAt(pattern[1], '. Input:') ?? [];
    return { expected, received: received.trim() || null };
  }
  const missing = /^Missing expected (?:exception|rejection) \(([\w.$]{1,80})\)/.exec(title);
  if (missing) return { expected: missing[1] };
  const actual = title.startsWith('Got unwanted ') ? splitAt(onOneLine(lines), ' Actual message: ') : undefined;
  if (actual) return { received: actual[1] };
  const settled = splitAt(rest(title, 'promise resolved ', 'promise rejected ') ?? '', ' instead of ');
  return settled ? { received: settled[0] } : undefined;
}

interface Judged {
  readonly text: string;
  readonly title: string;
  readonly className: string;
  readonly texts: ErrorTexts;
  readonly isExpectation: boolean;
}

const SETUP =
  /^(?:Cannot find (?:module|package)|Failed to (?:resolve import|load url)|Jest encountered|Parse failure|Transform failed|Error transforming|SyntaxError: \S{1,500}: |.{0,80}has unknown parameter|No test (?:suite )?found|Your test suite must contain|Test suite failed to run)/;

function kindOf({ text, title, className, texts: { message, stack, type }, isExpectation }: Judged): Found['kind'] {
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
  return kindOfPlainError(text);
}

const NETWORK =
  /net::ERR_|\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EPIPE|EHOSTUNREACH|EAI_AGAIN)\b|fetch failed|socket hang up|[Cc]onnection (?:refused|reset)/;
const TIMEOUT = /\btimed? ?out\b|[Tt]imeout (?:of )?[\d.]+ ?m?s|[Ee]xceeded timeout|TimeoutError|exceeded timeout/i;

/** Decides whether a text describes a network failure, a timeout or another error. */
export function kindOfPlainError(text: string): 'network' | 'timeout' | 'error' {
  if (NETWORK.test(text)) return 'network';
  return TIMEOUT.test(text) ? 'timeout' : 'error';
}
