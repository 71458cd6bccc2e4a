import { expect, test } from 'vitest';
import { formatErrorLine } from '#shared/errors/error-line.ts';

const line = (message: string, characters = 500) => formatErrorLine({ message, stack: null }, characters);

test.each([
  [
    'a Playwright assertion',
    'Error: expect(locator).toHaveText(expected) failed\n\nLocator:  getByTestId(\'stock\')\nExpected: "reserved"\nReceived: "busy"\nTimeout:  5000ms',
    'expect(locator).toHaveText(expected) failed: expected "reserved", received "busy"',
  ],
  [
    'a Jest assertion',
    'expect(received).toBe(expected) // Object.is equality\n\nExpected: 3\nReceived: 4',
    'expect(received).toBe(expected) // Object.is equality: expected 3, received 4',
  ],
  [
    'a Playwright timeout',
    'Error: page.goto: Timeout 10000ms exceeded.\nCall log:',
    'page.goto: Timeout 10000ms exceeded.',
  ],
])('The one-line summary of %s includes its expected and received values, if it has any', (_, message, expected) => {
  expect(line(message)).toBe(expected);
});

test('The summary of an error is one line of limited length, even if its values are long and contain line breaks', () => {
  const value = 'a\n\tb '.repeat(10_000);
  const text = `Error: expect(received).toEqual(expected)\n\nExpected: ${JSON.stringify(value)}\nReceived: ${value}`;
  expect(line(text, 300).length).toBeLessThanOrEqual(300);
  expect(line(text, 300)).not.toMatch(/[\n\t]/);
});
