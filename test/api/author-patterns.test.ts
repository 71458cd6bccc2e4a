import { expect, test } from 'vitest';
import { matchesGlob } from '#shared/results/glob.ts';

test.each([
  ['a*c', 'abc', true],
  ['a*c', 'ac', true],
  ['a*c', 'abcd', false],
  ['*@x.com', 'sam@x.com', true],
  ['a*a', 'a', false],
  ['*b*b*', 'abcb', true],
  ['*b*b*', 'ab', false],
  ['sam', 'sam', true],
  ['sam', 'samuel', false],
  ['*', '', true],
])('The author pattern %s matches %j: %s', (pattern, text, expected) => {
  expect(matchesGlob(pattern, text)).toBe(expected);
});
