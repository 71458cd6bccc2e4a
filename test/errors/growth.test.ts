/**
 * Classifying and reading an error use only the first 16,384 characters of its message and of its stack. Up to this
 * length, the time must grow linearly.
 */
import { expect, test } from 'vitest';
import { classifyError } from '#shared/errors/classify.ts';
import { ERROR_LIMITS } from '#shared/errors/limits.ts';
import { readError } from '#shared/errors/read-error.ts';
import { growth, IN_PROPORTION } from '#test/context/growth.ts';
import { FRAGMENTS } from '#test/context/hostile.ts';
import { attack } from '#test/harness/attacks.ts';
import { sampled } from '#test/harness/cases.ts';

const BEGINNINGS = [
  '',
  'Error: ',
  '[A]: ',
  'AssertionError: ',
  'Timed out retrying after 4000ms: ',
  'assert ',
  'Timed out 5ms waiting for expect(locator).toHaveText(expected)\n\n',
  'locator.click: Timeout\nCall log:\n',
  'expected ',
  'Unable to find an element with the ',
  'def test_a():\nE   ',
  'Traceback (most recent call last):\n',
];

const UNITS = [
  'a',
  '1',
  '.',
  '_',
  '-',
  '/',
  '\\',
  '"',
  "'",
  '`',
  '<',
  '(',
  '()',
  '[',
  '{',
  ':',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\u2028',
  '/a',
  '\\a',
  '\\"',
  "\\'",
  "'a",
  "a'",
  ' "a',
  'a:',
  'A: ',
  'a.',
  'Error: ',
  'Error',
  '[A]: ',
  ' to ',
  ' to be ',
  ' to be visible',
  'expected ',
  "expected '<",
  ' ==> expected <',
  '> but',
  'expect(',
  'expect()',
  'expect(x).',
  'expect.poll(',
  'waiting for ',
  '- waiting for locator(\n',
  '1 × ',
  '- '.repeat(3),
  'navigating to "',
  '→ GET ',
  'strict mode violation: ',
  ' resolved to ',
  'http://',
  'https://a/',
  'status code ',
  'HTTP/1.1 ',
  'with url: ',
  'Locator: ',
  'Expected: "',
  'Snapshot:\n',
  'E   ',
  'E   a\n',
  '00000000-',
  'abcdef1',
  '0123456789abcdef-',
  '1,',
  '1.1,',
  '`cy.',
  'route: `',
  '`<a',
  'setting up "',
  'while running "',
  '. This could be because ',
  ' not in ',
  '= =',
  '>s',
];

const FIVE_TIMES = [1, 2, 3, 4, 5];

test.each(BEGINNINGS.map((beginning, row) => [beginning, row] as const))(
  'Classifying and reading an error take time proportional to the length of its text, whatever is repeated after %j',
  (beginning, row) => {
    const classify = (text: string) =>
      FIVE_TIMES.map(() => [
        classifyError({ message: beginning + text }),
        readError({ message: beginning + text, stack: beginning + text }),
      ]);
    const units = sampled([...UNITS, ...FRAGMENTS], BEGINNINGS.length, row);
    attack('slow texts', units.length);
    const slow = units.filter((unit) => growth(classify, unit, ERROR_LIMITS.readCharacters / 8) >= IN_PROPORTION);
    expect(slow).toEqual([]);
  },
);
