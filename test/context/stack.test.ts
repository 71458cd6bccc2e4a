import { describe, expect, test } from 'vitest';
import { removeStackMessage } from '#shared/context/stack.ts';
import { failedTest } from './examples.ts';
import { pageOf } from './pairs.ts';

const FRAME = '    at sum (/project/cart.ts:3:7)';

describe('A stack without its message', () => {
  test.each([
    ['the message alone', 'boom', 'boom'],
    ['the name of the error before the message', 'boom', 'TypeError: boom'],
    ['several names before the message', 'boom', 'Error: page.click: boom'],
    ['a message of several lines', 'boom\n\nexpected 1\nreceived 2', 'Error: boom\n\nexpected 1\nreceived 2'],
    ['colors in the message', 'boom', 'Error: \u001b[31mboom\u001b[39m'],
    ['spaces after the message', 'boom', 'Error: boom  '],
  ])('A stack is shown without the message at its beginning: %s', (_, message, first) => {
    expect(removeStackMessage(`${first}\n${FRAME}`, message)).toBe(FRAME);
    expect(removeStackMessage(`${first}\r\n${FRAME}\r\n`, message)).toBe(FRAME);
    expect(removeStackMessage(first, message)).toBe('');
  });

  test.each([
    ['r', `Error: other\n${FRAME}`],
    ['sum', `Error: other\n${FRAME}`],
    ['boom', `Error: boom, and more\n${FRAME}`],
    ['boom', `Error: a boom\n${FRAME}`],
    ['', `Error\n${FRAME}`],
  ])('A stack is shown in full if the message %j is only part of a line of the stack', (message, stack) => {
    expect(removeStackMessage(stack, message)).toBe(stack);
  });
});

describe('A page', () => {
  const withStack = (stack: string) =>
    pageOf({ ...failedTest, error: { message: 'boom', stack, location: null, snippet: null } });

  test.each(['boom', 'Error: boom', 'Error: boom\n'])('omits a stack that only repeats the message: %j', (stack) => {
    expect(withStack(stack)).not.toContain('Stack:');
  });

  test('shows a stack that contains more than the message', () => {
    expect(withStack(`Error: boom\n${FRAME}`)).toContain(`Stack:\n\n\`\`\`\n${FRAME}`);
  });
});
