import { describe, expect, test } from 'vitest';
import { isSameError } from '#shared/errors/same-error.ts';

describe('Messages of the same error', () => {
  test.each([
    ['ids', 'order 4b1c6e1e-8a54-4b0c-9d0c-0c4b5f6a7d8e failed', 'order 00000000-8a54-4b0c-9d0c-0c4b5f6a7d8e failed'],
    ['numbers', 'waited 512 ms', 'waited 30,000.5 ms'],
    ['addresses', 'no answer of http://localhost:3000/a', 'no answer of http://localhost:4000/b'],
    ['paths', 'cannot open /tmp/a/b.json', 'cannot open C:\\tmp\\c\\d.json'],
    ['colors and blanks', '\u001b[31mfailed\u001b[39m  twice', 'failed\ntwice'],
  ])('Messages that differ only in %s belong to the same error', (_, one, other) => {
    expect(isSameError(one, other)).toBe(true);
  });

  test.each([
    ['status codes', 'Request failed with status code 503', 'Request failed with status code 404'],
    ['exit codes', 'the server ended with exit code 1', 'the server ended with exit code 137'],
    ['quoted texts', "waiting for getByText('Save')", "waiting for getByText('Send')"],
    ['words', 'the cart is empty', 'the cart is full'],
  ])('Messages that differ in %s belong to different errors', (_, one, other) => {
    expect(isSameError(one, other)).toBe(false);
  });
});
