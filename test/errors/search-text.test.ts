import { describe, expect, test } from 'vitest';
import { classifyError } from '#shared/errors/classify.ts';
import { toMessageSearch } from '#shared/errors/search-text.ts';
import { contains } from '#shared/results/contains.ts';
import { EXAMPLES } from './examples.ts';

/** Whether a search for `text` finds the error with this message. */
const isFound = (text: string, message: string): boolean => {
  const stored = classifyError({ message, stack: null }).message;
  return toMessageSearch(text).texts.some((one) => contains(stored, one));
};

const TIMEOUT = 'page.goto: Timeout 10000ms exceeded.\nCall log:\n  - navigating to "http://localhost:3000/"';
const LOCATOR = 'Error: expect(locator).toHaveText(expected) failed\n\nExpected: "sold"\nReceived: "busy"';

describe('A search field', () => {
  const title = 'payment > shows why the bank declined a card';

  test.each([
    'shows why',
    'card payment',
    'payment › shows',
    '"the bank" SHOWS',
    'declined -voucher',
    'bank -"card declined"',
    '-voucher',
    '"declined',
  ])('%s finds a text that has these words in any order', (search) => {
    expect(contains(title, search)).toBe(true);
  });

  test.each(['shows voucher', '"bank the"', 'payment -bank', 'bank -"declined a"', '-card'])(
    '%s does not find a text that lacks a word or has an excluded one',
    (search) => {
      expect(contains(title, search)).toBe(false);
    },
  );

  test.each(['--detach "x"', 'a -b', '" -', '-"'])('%s finds a text that is written like this', (search) => {
    expect(contains(`before ${search} after`, search)).toBe(true);
  });
});

describe('A search by the text of an error', () => {
  test.each([
    ['the whole error', TIMEOUT, TIMEOUT],
    ['the whole error with its class', `Error: ${TIMEOUT}`, TIMEOUT],
    ['its first line', 'page.goto: Timeout 10000ms exceeded.', TIMEOUT],
    ['a part of its first line', 'Timeout 10000ms', TIMEOUT],
    ['a part of its first line, with another number', 'timeout 30000MS exceeded', TIMEOUT],
    ['its normalized text', 'Timeout <n>ms', TIMEOUT],
    ['a part with a quoted text', 'expected "reserved"', 'Error: expected "reserved" to be "sold"'],
    ['a part that ends within a quoted text', 'expected "reser', 'Error: expected "reserved" to be "sold"'],
    [
      'a part with an id',
      'order 3f2504e0-4f89-11d3-9a0c-0305e82c3301',
      'no order 9b2504e0-4f89-11d3-9a0c-0305e82c33ff',
    ],
    ['a part with a path', "open '/tmp/a/b.json'", "ENOENT: no such file, open '/var/c/d.json'"],
    [
      'the line of a comparison',
      'expect(locator).toHaveText(expected) failed: expected "sold", received "busy"',
      LOCATOR,
    ],
    [
      'a line that names only what was received',
      'expect(locator).toHaveText(expected) failed: received "busy"',
      LOCATOR,
    ],
    ['a line with blanks around it', '\n  page.goto: Timeout 10000ms exceeded.  \n', TIMEOUT],
  ])('An error is found by %s', (_, text, message) => {
    expect(isFound(text, message)).toBe(true);
  });

  test.each([
    ['a number alone', '18.9'],
    ['a quoted text alone', `"reserved"`],
    ['an id alone', '3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
  ])('%s does not find every error in which something varies, and the search says why', (_, text) => {
    expect(isFound(text, TIMEOUT)).toBe(false);
    expect(isFound(text, 'expected "reserved" to be "sold"')).toBe(false);
    expect(toMessageSearch(text).isVariable).toBe(true);
  });

  test('Another error is not found', () => {
    expect(isFound('page.goto: Timeout 10000ms exceeded.', 'page.click: Timeout 10000ms exceeded.')).toBe(false);
    expect(isFound('expected "reserved"', 'received "reserved"')).toBe(false);
    expect(isFound('AssertionError: expected 1 to be 2', 'AssertionError [ERR_ASSERTION]: no rows')).toBe(false);
  });

  test('Each error of the examples is found by its own text and by its own first line', () => {
    expect(EXAMPLES.length).toBeGreaterThan(20);
    const missed = EXAMPLES.filter(([message, [, , , stored]]) => {
      const [line = ''] = message.trim().split('\n', 1);
      return (
        stored !== '' &&
        /\p{L}/u.test(stored.replaceAll(/<\w+>/g, '')) &&
        !(isFound(message, message) && isFound(line, message))
      );
    });
    expect(missed).toEqual([]);
  });
});
