import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyError } from '#shared/errors/classify.ts';
import { ERROR_LIMITS } from '#shared/errors/limits.ts';
import { hostileText } from '#test/context/hostile.ts';
import { cases } from '#test/harness/cases.ts';
import { EXAMPLES } from './examples.ts';

const classified = (message: string) => {
  const { category, action, target, message: text } = classifyError({ message });
  return [category, action, target, text];
};

describe('An error has a category, an action, a target and a message without variable parts:', () => {
  test.each(EXAMPLES)('%j', (message, expected) => {
    expect(classified(message)).toEqual(expected);
  });
});

describe('The classification of an error', () => {
  test('The classification uses the class name of the error if the message lacks it', () => {
    expect(classifyError({ name: 'AssertionError', message: 'prices differ' })).toMatchObject({
      category: 'Assertion',
      message: 'prices differ',
    });
    expect(classifyError({ name: 'Error', message: 'prices differ' }).category).toBe('Infra / Misc');
  });

  test('An error without a message is classified by its stack, and an error with neither by its name', () => {
    expect(classifyError({ message: null, stack: 'TypeError: x is not a function\n    at a.ts:1:1' }).message).toBe(
      'x is not a function',
    );
    expect(classifyError({ name: 'TypeError', message: '' }).message).toBe('TypeError');
    expect(classifyError({ message: null })).toMatchObject({ category: 'Infra / Misc', message: '', target: null });
  });

  test('The classification finds an assertion even if the test gave it a custom message', () => {
    const message = "Error: the cart is empty\n\nexpect(locator).toBeVisible() failed\n\nLocator: getByText('Cart')";
    expect(classified(message)).toEqual(['Async Assertion', 'toBeVisible', "getByText('Cart')", 'the cart is empty']);
    expect(classified('AssertionError: wrong sum\nassert 3 == 4')).toEqual(['Assertion', '==', null, 'wrong sum']);
  });

  test('The classification uses the last line of a Python traceback, and the lines that pytest marks with E', () => {
    const traceback = 'Traceback (most recent call last):\n  File "a.py", line 1, in x\n    y()\nValueError: no price';
    expect(classified(traceback)).toEqual(['Infra / Misc', null, null, 'no price']);
    const report =
      'def test_sum():\n>       assert sum([1, 2]) == 4\nE       assert 3 == 4\nE        +  where 3 = sum([1, 2])';
    expect(classified(report)).toEqual(['Assertion', '==', null, 'assert <n> == <n>']);
  });

  test('An assertion is classified as an assertion even if a value in its message looks like a timeout', () => {
    const message = 'expect(received).toBe(expected)\n\nExpected: "ok"\nReceived: "Timed out. Call log: Locator: x"';
    expect(classified(message)).toEqual(['Assertion', 'toBe', null, 'expect(received).toBe(expected)']);
  });
});

describe('Errors that are counted together', () => {
  const fingerprint = (message: string) => classifyError({ message }).fingerprint;

  test('Errors that differ only in numbers, addresses, paths and quoted texts are counted together', () => {
    expect(fingerprint('Order 17 of "Ada" at http://a.example/1 in /tmp/x/y failed')).toBe(
      fingerprint('Order 9 of "Bob" at http://b.example/2 in /home/z/w failed'),
    );
  });

  test('Errors with different status codes or targets are counted separately, unless the targets differ only in numbers', () => {
    expect(fingerprint('Request failed with status code 503')).not.toBe(
      fingerprint('Request failed with status code 404'),
    );
    const click = (target: string) => `locator.click: Timeout 5ms exceeded.\nCall log:\n  - waiting for ${target}`;
    expect(fingerprint(click("getByText('Save')"))).not.toBe(fingerprint(click("getByText('Send')")));
    expect(fingerprint(click("locator('#row-12345')"))).toBe(fingerprint(click("locator('#row-67890')")));
  });

  test('Errors that differ only in terminal colors are counted together', () => {
    expect(fingerprint('\u001b[31mError: x\u001b[39m')).toBe(fingerprint('Error: x'));
  });
});

const anyText = fc.array(hostileText, { maxLength: 40 }).map((texts) => texts.join(''));

test('Any text gets a classification with a message and a target of limited length, and the message is well-formed Unicode', () => {
  fc.assert(
    fc.property(anyText, fc.option(hostileText), (message, name) => {
      const classified = classifyError({ message, name });
      expect(classified.message.length).toBeLessThanOrEqual(ERROR_LIMITS.messageCharacters);
      expect(classified.message.isWellFormed()).toBe(true);
      expect(classified.target?.length ?? 0).toBeLessThanOrEqual(ERROR_LIMITS.targetCharacters);
      expect(classifyError({ message, name })).toEqual(classified);
    }),
    { numRuns: cases(1000, 200) },
  );
});
