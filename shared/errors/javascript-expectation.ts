/** Reads matchers and values from failed expectations of Playwright, Vitest, Jest, chai and node:assert. */

import { isFrameLine } from './code-frame.ts';
import { findTextAfter, isBlank, joinLines, splitAt } from './error-lines.ts';
import type { PartialReading, Values } from './reading.ts';

export const EXPECT = /expect(?:\.(?:soft|poll))?\(/;
const NAMES = /(?:\.\w{1,60}){1,6}\(/y;
const GLOBAL = /^expect\.(\w{1,40})\(/;
const PLACEHOLDERS = new Set(['received', 'locator', 'page', 'response', 'string', 'jest.fn()', 'value', '']);
const NO_MATCHERS = new Set(['resolves', 'rejects', 'soft', 'poll']);

export type Expectation = Values & Pick<PartialReading, 'matcher' | 'target'>;

/** Finds a call such as `expect(target).not.toBe(expected)` in a line that is not part of a code frame. */
export function findExpectation(lines: readonly string[]): Expectation | undefined {
  for (const line of lines) {
    if (isFrameLine(line)) continue;
    const globalMatcher = GLOBAL.exec(line.trim())?.[1];
    if (globalMatcher !== undefined) return { matcher: globalMatcher };
    const call = parseExpectChain(line);
    if (!call) continue;
    const names = call.names.filter((name) => !NO_MATCHERS.has(name));
    const target = call.inside.trim();
    return { matcher: names.join('.'), ...(PLACEHOLDERS.has(target) ? {} : { target }) };
  }
  return undefined;
}

/** The text in the brackets of `expect(`, and the names of the chain after it, such as `not` and `toBe`. */
function parseExpectChain(line: string): { readonly inside: string; readonly names: readonly string[] } | undefined {
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

/** If several lines such as `Received string: "a"` have one value, the one labelled `value` counts, else the first. */
export function readLabelledValues(lines: readonly string[]): Values {
  const values = new Map<string, string>();
  const isValue = new Set<string>();
  for (const line of lines) {
    if (isFrameLine(line)) continue;
    const [, word = '', label, value = ''] = LABEL.exec(line.trim()) ?? [];
    if (isBlank(value)) continue;
    const kind = label?.trim();
    const side = word === 'Expected' ? 'expected' : 'received';
    if (values.has(side) && (kind !== 'value' || isValue.has(side))) continue;
    values.set(side, value.trim());
    if (kind === 'value') isValue.add(side);
  }
  return Object.fromEntries(values);
}

const VALUE_WORDS = /^(?:true|false|null|undefined)\b/;

/** Such as `expected 1 to equal 2`, which may end with a `//` comment, or with `but got` and the received value. */
export function parseChaiMessage(title: string): Expectation | undefined {
  const sentence = title.replace(/ \/\/ [\w .]{1,60}$/, '');
  const at = sentence.startsWith('expected ') ? 0 : sentence.indexOf(': expected ') + 2;
  const [subject, predicate] = splitAt(sentence.slice(at), ' to ') ?? [];
  if (subject === undefined || predicate === undefined || !subject.startsWith('expected ') || !/^[a-z]/.test(predicate))
    return undefined;
  const { matcher, value } = splitWords(predicate);
  const [expectedPart = value, got] = splitAt(value, ', but got ', ' but got ') ?? [];
  const name = subject.slice('expected '.length);
  const isMock = /^"[^"]{0,100}"$/.test(name) && /called|return|resolve/.test(matcher);
  const receivedValue = got ?? (isMock || name.startsWith('[Function') ? undefined : name);
  const expectedText = expectedPart.trim();
  const expectedValue = /^not\b/.test(matcher) ? `not ${expectedText}` : expectedText;
  return { matcher: `to ${matcher}`, expected: expectedText === '' ? null : expectedValue, received: receivedValue };
}

/** Into the words of the matcher and the value after them. In `throw an error`, the value is `an error`. */
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

export function parseNodeAssertMessage(title: string, lines: readonly string[]): Expectation | undefined {
  const equality = splitAt(findTextAfter(title, 'Expected values to be ') ?? '', ':');
  if (equality) {
    const [received, expected] = splitAt(equality[1].trim(), ' !== ', ' != ') ?? [];
    return { matcher: equality[0], received, expected };
  }
  const unequal = splitAt(
    findTextAfter(title, 'Expected "actual" not to be ', 'Expected "actual" to be ') ?? '',
    ' to:',
  );
  if (unequal) return { matcher: unequal[0], expected: isBlank(unequal[1]) ? null : `not ${unequal[1].trim()}` };
  const falsy = splitAt(title, 'assert.ok(', 'assert(');
  if (title.includes('falsy value') && falsy)
    return { matcher: title.includes('assert.ok(') ? 'assert.ok' : 'assert', target: falsy[1].replace(/\)$/, '') };
  const pattern = splitAt(title, 'the regular expression ');
  if (pattern && title.startsWith('The input ')) {
    const [expected = pattern[1], received = ''] = splitAt(pattern[1], '. Input:') ?? [];
    return { expected, received: received.trim() || null };
  }
  const missingError = /^Missing expected (?:exception|rejection) \(([\w.$]{1,80})\)/.exec(title);
  if (missingError) return { expected: missingError[1] };
  const actualMessage = title.startsWith('Got unwanted ') ? splitAt(joinLines(lines), ' Actual message: ') : undefined;
  if (actualMessage) return { received: actualMessage[1] };
  const promiseOutcome = splitAt(findTextAfter(title, 'promise resolved ', 'promise rejected ') ?? '', ' instead of ');
  return promiseOutcome ? { received: promiseOutcome[0] } : undefined;
}
